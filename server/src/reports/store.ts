import type { ReportKind, ReportView } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { savedRows } from '../store/saved-rows.ts'
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

export const { one: selectReport, remove: deleteReportRow } = savedRows<ReportRow>('reports', columns)

/** False when the site has as many as it may. Inserts of one site run one after the other. */
export async function insertReport(sql: Sql, row: ReportRow, most: number): Promise<boolean> {
  await sql.query('SELECT 1 FROM sites WHERE id = $1 FOR NO KEY UPDATE', [row.site_id])
  const rows = await sql.query(
    `INSERT INTO reports (${columns})
     SELECT $1, $2, $3, $4, $5, $6, $7::json, $8, $9, $10, $11
     WHERE (SELECT count(*) FROM reports WHERE workspace_id = $1 AND site_id = $3) < $12
     RETURNING id`,
    [
      row.workspace_id,
      row.id,
      row.site_id,
      row.kind,
      row.name,
      row.description,
      JSON.stringify(row.question),
      row.view,
      row.owner,
      row.created_at,
      row.updated_at,
      most,
    ],
  )
  return rows.length === 1
}

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
