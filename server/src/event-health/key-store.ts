import type { Sql } from '../store/control.ts'

/** Keys that no visitor's browser holds. */
export async function selectTrustedKeys(sql: Sql, workspaceId: string): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT id FROM api_keys WHERE workspace_id = $1 AND kind IN ('secret', 'live')`,
    [workspaceId],
  )
  return rows.map(({ id }) => id)
}
