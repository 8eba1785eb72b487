import type { ErrorDecision, ErrorRule } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type StateRow = { group_id: string; state: ErrorDecision; changed_at: Date }

export function selectStates(sql: Sql, workspaceId: string, siteId: string): Promise<StateRow[]> {
  return sql.query<StateRow>(
    'SELECT group_id, state, changed_at FROM error_states WHERE workspace_id = $1 AND site_id = $2',
    [workspaceId, siteId],
  )
}

export async function upsertState(
  sql: Sql,
  workspaceId: string,
  siteId: string,
  { group_id, state, changed_at }: StateRow,
): Promise<void> {
  await sql.query(
    `INSERT INTO error_states (workspace_id, site_id, group_id, state, changed_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (workspace_id, site_id, group_id) DO UPDATE
       SET state = excluded.state, changed_at = excluded.changed_at`,
    [workspaceId, siteId, group_id, state, changed_at],
  )
}

export type RuleRow = {
  id: string
  site_id: string
  position: number
  match: ErrorRule['match']
  error_group: string
  created_at: Date
}

export function selectRules(sql: Sql, workspaceId: string, siteId: string): Promise<RuleRow[]> {
  return sql.query<RuleRow>(
    `SELECT id, site_id, position, match, error_group, created_at FROM error_rules
     WHERE workspace_id = $1 AND site_id = $2 ORDER BY position, id`,
    [workspaceId, siteId],
  )
}

export async function insertRule(sql: Sql, workspaceId: string, row: RuleRow): Promise<void> {
  await sql.query(
    `INSERT INTO error_rules (workspace_id, id, site_id, position, match, error_group, created_at)
     VALUES ($1, $2, $3, $4, $5::json, $6, $7)`,
    [
      workspaceId,
      row.id,
      row.site_id,
      row.position,
      JSON.stringify(row.match),
      row.error_group,
      row.created_at,
    ],
  )
}

export async function selectRule(sql: Sql, workspaceId: string, id: string): Promise<RuleRow | null> {
  const [row] = await sql.query<RuleRow>(
    `SELECT id, site_id, position, match, error_group, created_at FROM error_rules
     WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  return row ?? null
}

export async function updateRule(sql: Sql, workspaceId: string, row: RuleRow): Promise<void> {
  await sql.query(
    `UPDATE error_rules SET position = $3, match = $4::json, error_group = $5
     WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, row.id, row.position, JSON.stringify(row.match), row.error_group],
  )
}

export async function deleteRule(sql: Sql, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql.query('DELETE FROM error_rules WHERE workspace_id = $1 AND id = $2 RETURNING id', [
    workspaceId,
    id,
  ])
  return rows.length === 1
}
