import type { Sql } from '../store/control.ts'
import { mayHold, type SelectTexts, type TextRow } from '../store/people/person-text-table.ts'

type NamingShare = TextRow & { narrowing: unknown }

export const selectNamingShares: SelectTexts<NamingShare> = (sql, page) =>
  sql.query<NamingShare>(
    `SELECT id, narrowing::text AS text, narrowing FROM shares
     WHERE workspace_id = $1 AND ${mayHold('narrowing::text')} AND id > $3
     ORDER BY id LIMIT $4`,
    page,
  )

export async function deleteShares(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql.query('DELETE FROM shares WHERE workspace_id = $1 AND id = ANY($2)', [workspaceId, ids])
}
