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

type NamedRecipient = TextRow & {
  digest_id: string
  email: string
  is_active: boolean
  last_sent_at: Date | null
  created_at: Date
}

export const selectNamedRecipients: SelectTexts<NamedRecipient> = (sql, page) =>
  sql.query<NamedRecipient>(
    `SELECT id, email AS text, digest_id, email, is_active, last_sent_at, created_at FROM digest_recipients
     WHERE workspace_id = $1 AND ${mayHold('email')} AND id > $3
     ORDER BY id LIMIT $4`,
    page,
  )

/** With what was sent to them. */
export async function deleteRecipients(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql.query('DELETE FROM digest_recipients WHERE workspace_id = $1 AND id = ANY($2)', [
    workspaceId,
    ids,
  ])
}
