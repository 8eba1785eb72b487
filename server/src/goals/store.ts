import type { Filter } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { savedRows } from '../store/saved-rows.ts'

export type GoalRow = {
  workspace_id: string
  id: string
  site_id: string
  name: string
  event: string
  page: string | null
  filters: readonly Filter[]
  owner: string
  created_at: Date
  updated_at: Date
}

const columns = 'workspace_id, id, site_id, name, event, page, filters, owner, created_at, updated_at'

export const {
  one: selectGoal,
  list: selectGoals,
  remove: deleteGoalRow,
} = savedRows<GoalRow>('goals', columns)

/** False when the site has as many as it may. Inserts of one site run one after the other. */
export async function insertGoal(sql: Sql, row: GoalRow, most: number): Promise<boolean> {
  await sql.query('SELECT 1 FROM sites WHERE id = $1 FOR NO KEY UPDATE', [row.site_id])
  const rows = await sql.query(
    `INSERT INTO goals (${columns})
     SELECT $1, $2, $3, $4, $5, $6, $7::json, $8, $9, $10
     WHERE (SELECT count(*) FROM goals WHERE workspace_id = $1 AND site_id = $3) < $11
     RETURNING id`,
    [
      row.workspace_id,
      row.id,
      row.site_id,
      row.name,
      row.event,
      row.page,
      JSON.stringify(row.filters),
      row.owner,
      row.created_at,
      row.updated_at,
      most,
    ],
  )
  return rows.length === 1
}

export async function updateGoalRow(sql: Sql, row: GoalRow): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE goals SET name = $3, event = $4, page = $5, filters = $6::json, updated_at = $7
     WHERE workspace_id = $1 AND id = $2 RETURNING id`,
    [row.workspace_id, row.id, row.name, row.event, row.page, JSON.stringify(row.filters), row.updated_at],
  )
  return rows.length === 1
}

/** Those of all sites, to count conversions by. */
export function selectEveryGoal(sql: Sql, workspaceId: string): Promise<GoalRow[]> {
  return sql.query<GoalRow>(`SELECT ${columns} FROM goals WHERE workspace_id = $1 ORDER BY id`, [workspaceId])
}
