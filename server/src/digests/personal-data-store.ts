import type { Sql } from '../store/control.ts'
import { mayHold, type SelectTexts, type TextRow } from '../store/people/person-text-table.ts'

type NamingDigest = TextRow & { narrowing: unknown }

export const selectNamingDigests: SelectTexts<NamingDigest> = (sql, page) =>
  sql.query<NamingDigest>(
    `SELECT id, narrowing::text AS text, narrowing FROM digests
     WHERE workspace_id = $1 AND ${mayHold('narrowing::text')} AND id > $3
     ORDER BY id LIMIT $4`,
    page,
  )

export async function deleteDigests(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql.query('DELETE FROM digests WHERE workspace_id = $1 AND id = ANY($2)', [workspaceId, ids])
}

type NamedRecipient = {
  id: string
  digest_id: string
  email: string
  is_active: boolean
  last_sent_at: Date | null
  created_at: Date
}

/** A page of those who have one of these addresses, and not a longer one that ends like it. */
export function selectNamedRecipients(
  sql: Sql,
  workspaceId: string,
  emails: readonly string[],
  after: string,
  rows: number,
): Promise<NamedRecipient[]> {
  return sql.query<NamedRecipient>(
    `SELECT id, digest_id, email, is_active, last_sent_at, created_at FROM digest_recipients
     WHERE workspace_id = $1 AND email = ANY($2) AND id > $3
     ORDER BY id LIMIT $4`,
    [workspaceId, emails, after, rows],
  )
}

export async function countNamedRecipients(
  sql: Sql,
  workspaceId: string,
  emails: readonly string[],
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM digest_recipients WHERE workspace_id = $1 AND email = ANY($2)',
    [workspaceId, emails],
  )
  return row?.count ?? 0
}

/** With what was sent to them. */
export async function deleteNamedRecipients(
  sql: Sql,
  workspaceId: string,
  emails: readonly string[],
): Promise<void> {
  await sql.query('DELETE FROM digest_recipients WHERE workspace_id = $1 AND email = ANY($2)', [
    workspaceId,
    emails,
  ])
}
