import type { Sql } from '../store/control.ts'
import { mayHold, type SelectTexts, type TextRow } from '../store/people/person-text-table.ts'

type NamingReport = TextRow & { name: string; description: string; question: string }

const said = 'json_build_array(name, description, question)::text'

export const selectNamingReports: SelectTexts<NamingReport> = (sql, page) =>
  sql.query<NamingReport>(
    `SELECT id, ${said} AS text, name, description, question::text AS question FROM reports
     WHERE workspace_id = $1 AND ${mayHold(said)} AND id > $3
     ORDER BY id LIMIT $4`,
    page,
  )

export async function emptyReportTexts(sql: Sql, workspaceId: string, id: string): Promise<void> {
  await sql.query(
    `UPDATE reports SET name = 'Untitled', description = '' WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
}

export async function deleteNamingReport(sql: Sql, workspaceId: string, id: string): Promise<void> {
  await sql.query('DELETE FROM reports WHERE workspace_id = $1 AND id = $2', [workspaceId, id])
}
