import type { Sql } from '../store/control.ts'
import { mayHold, type SelectTexts, type TextRow } from '../store/people/person-text-table.ts'

type NamingGoal = TextRow & { name: string; condition: string }

const condition = 'json_build_array(event, page, filters)'
const said = `json_build_array(name, ${condition})::text`

export const selectNamingGoals: SelectTexts<NamingGoal> = (sql, page) =>
  sql.query<NamingGoal>(
    `SELECT id, ${said} AS text, name, ${condition}::text AS condition FROM goals
     WHERE workspace_id = $1 AND ${mayHold(said)} AND id > $3
     ORDER BY id LIMIT $4`,
    page,
  )

export async function emptyGoalName(sql: Sql, workspaceId: string, id: string): Promise<void> {
  await sql.query(`UPDATE goals SET name = 'Untitled' WHERE workspace_id = $1 AND id = $2`, [workspaceId, id])
}

export async function deleteNamingGoal(sql: Sql, workspaceId: string, id: string): Promise<void> {
  await sql.query('DELETE FROM goals WHERE workspace_id = $1 AND id = $2', [workspaceId, id])
}
