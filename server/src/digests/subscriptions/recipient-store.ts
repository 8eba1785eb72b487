import type { Sql } from '../../store/control.ts'

export type RecipientRow = {
  workspace_id: string
  id: string
  digest_id: string
  email: string
  is_active: boolean
  last_sent_at: Date | null
  last_error: string | null
}

const columns = 'workspace_id, id, digest_id, email, is_active, last_sent_at, last_error'

export function selectRecipients(
  sql: Sql,
  workspaceId: string,
  digestIds: readonly string[],
): Promise<RecipientRow[]> {
  return sql.query<RecipientRow>(
    `SELECT ${columns} FROM digest_recipients WHERE workspace_id = $1 AND digest_id = ANY($2) ORDER BY email, id`,
    [workspaceId, digestIds],
  )
}

/** What is there already stays as it is. */
export async function insertRecipients(
  sql: Sql,
  { workspaceId, digestId, at }: { workspaceId: string; digestId: string; at: Date },
  recipients: readonly { id: string; email: string }[],
): Promise<void> {
  await sql.query(
    `INSERT INTO digest_recipients (workspace_id, id, digest_id, email, is_active, created_at)
     SELECT $1, n.id, $2, n.email, true, $3 FROM unnest($4::text[], $5::text[]) AS n (id, email)
     ON CONFLICT (workspace_id, digest_id, email) DO NOTHING`,
    [workspaceId, digestId, at, recipients.map(({ id }) => id), recipients.map(({ email }) => email)],
  )
}

/** Who is no longer to receive it. Those who unsubscribed stay. */
export async function deleteRecipientsBut(
  sql: Sql,
  workspaceId: string,
  digestId: string,
  emails: readonly string[],
): Promise<void> {
  await sql.query(
    `DELETE FROM digest_recipients
     WHERE workspace_id = $1 AND digest_id = $2 AND is_active AND NOT (email = ANY($3))`,
    [workspaceId, digestId, emails],
  )
}

/** An id may be in several workspaces, where one was moved: the link says which. */
export function selectRecipientsById(sql: Sql, id: string, rows: number): Promise<RecipientRow[]> {
  return sql.query<RecipientRow>(
    `SELECT ${columns} FROM digest_recipients WHERE id = $1 ORDER BY workspace_id LIMIT $2`,
    [id, rows],
  )
}

/** What waits to be sent to who unsubscribes is not sent any more. */
export async function updateSubscribed(
  sql: Sql,
  { workspace_id, id }: Pick<RecipientRow, 'workspace_id' | 'id'>,
  isActive: boolean,
): Promise<void> {
  await sql.query('UPDATE digest_recipients SET is_active = $3 WHERE workspace_id = $1 AND id = $2', [
    workspace_id,
    id,
    isActive,
  ])
  if (isActive) return
  await sql.query(
    `DELETE FROM digest_deliveries WHERE workspace_id = $1 AND recipient_id = $2 AND status = 'pending'`,
    [workspace_id, id],
  )
}
