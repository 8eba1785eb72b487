import type { ReportKind, ReportView } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { savedRows } from '../store/saved/saved-rows.ts'
import type { SavedQuestion } from './questions.ts'

export type ReportRow = {
  workspace_id: string
  id: string
  site_id: string
  kind: ReportKind
  name: string
  description: string
  question: SavedQuestion
  view: ReportView | null
  owner: string
  created_at: Date
  updated_at: Date
}

const columns =
  'workspace_id, id, site_id, kind, name, description, question, view, owner, created_at, updated_at'

export const {
  insert: insertReport,
  one: selectReport,
  remove: deleteReportRow,
} = savedRows<ReportRow>('reports', columns, ['question'])

export async function updateReportRow(sql: Sql, row: ReportRow): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE reports SET name = $3, description = $4, question = $5::json, view = $6, updated_at = $7
     WHERE workspace_id = $1 AND id = $2 RETURNING 1`,
    [
      row.workspace_id,
      row.id,
      row.name,
      row.description,
      JSON.stringify(row.question),
      row.view,
      row.updated_at,
    ],
  )
  return rows.length === 1
}

export function selectReports(
  sql: Sql,
  workspaceId: string,
  { siteId, kind }: { siteId: string | null; kind: ReportKind | null },
  after: string,
  rows: number,
): Promise<ReportRow[]> {
  return sql.query<ReportRow>(
    `SELECT ${columns} FROM reports
     WHERE workspace_id = $1 AND ($2::text IS NULL OR site_id = $2) AND ($3::text IS NULL OR kind = $3) AND id > $4
     ORDER BY id LIMIT $5`,
    [workspaceId, siteId, kind, after, rows],
  )
}
