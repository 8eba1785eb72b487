import type { PolicySettings } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type PolicyRow = { version: number; settings: PolicySettings; created_at: Date }

/** One version, or the live one. */
export async function selectPolicy(
  sql: Sql,
  workspaceId: string,
  version: number | null,
): Promise<PolicyRow | null> {
  const [row] = await sql.query<PolicyRow>(
    `SELECT version, settings, created_at FROM attribution_policies
     WHERE workspace_id = $1 AND ($2::integer IS NULL OR version = $2) ORDER BY version DESC LIMIT 1`,
    [workspaceId, version],
  )
  return row ?? null
}

/** False when the version is taken. */
export async function insertPolicy(sql: Sql, workspaceId: string, row: PolicyRow): Promise<boolean> {
  const rows = await sql.query(
    `INSERT INTO attribution_policies (workspace_id, version, settings, created_at)
     VALUES ($1, $2, $3::json, $4) ON CONFLICT DO NOTHING RETURNING version`,
    [workspaceId, row.version, JSON.stringify(row.settings), row.created_at],
  )
  return rows.length > 0
}
