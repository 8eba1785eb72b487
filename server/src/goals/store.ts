import type { Filter } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { savedRows } from '../store/saved/saved-rows.ts'

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
  insert: insertGoal,
  one: selectGoal,
  list: selectGoals,
  remove: deleteGoalRow,
} = savedRows<GoalRow>('goals', columns, ['filters'])

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
