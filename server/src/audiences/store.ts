import type { Audience, AudienceRules, Filter } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type AudienceRow = {
  workspace_id: string
  id: string
  site_id: string
  name: string
  description: string
  rules: AudienceRules
  filters: readonly Filter[]
  status: Audience['status']
  size: number
  size_at: Date
  /** Up to when the events reached by which it was counted; null before this was noted. */
  data_until: Date | null
  ledger_seq: number
  created_at: Date
  updated_at: Date
}

const columns = `workspace_id, id, site_id, name, description, rules, filters, status, size::float8 AS size, size_at,
  data_until, ledger_seq::float8 AS ledger_seq, created_at, updated_at`

/** False when the site has one of that name. */
export async function insertAudience(sql: Sql, row: AudienceRow): Promise<boolean> {
  const rows = await sql.query(
    `INSERT INTO audiences (workspace_id, id, site_id, name, description, rules, status, size_at, refresh_after,
       created_at, updated_at, filters)
     VALUES ($1, $2, $3, $4, $5, $6::json, $7, $8, $8, $9, $10, $11::json)
     ON CONFLICT (workspace_id, site_id, name) DO NOTHING RETURNING id`,
    [
      row.workspace_id,
      row.id,
      row.site_id,
      row.name,
      row.description,
      JSON.stringify(row.rules),
      row.status,
      row.size_at,
      row.created_at,
      row.updated_at,
      JSON.stringify(row.filters),
    ],
  )
  return rows.length === 1
}

/** False when the site has another of that name. */
export async function updateAudienceRow(sql: Sql, row: AudienceRow): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE audiences AS a SET name = $3, description = $4, rules = $5::json, status = $6, updated_at = $7,
       filters = $8::json
     WHERE workspace_id = $1 AND id = $2 AND NOT EXISTS (
       SELECT 1 FROM audiences AS other
       WHERE other.workspace_id = $1 AND other.site_id = a.site_id AND other.name = $3 AND other.id <> $2)
     RETURNING id`,
    [
      row.workspace_id,
      row.id,
      row.name,
      row.description,
      JSON.stringify(row.rules),
      row.status,
      row.updated_at,
      JSON.stringify(row.filters),
    ],
  )
  return rows.length === 1
}

export async function deleteAudienceRow(sql: Sql, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql.query('DELETE FROM audiences WHERE workspace_id = $1 AND id = $2 RETURNING id', [
    workspaceId,
    id,
  ])
  return rows.length === 1
}

export async function selectAudience(sql: Sql, workspaceId: string, id: string): Promise<AudienceRow | null> {
  const [row] = await sql.query<AudienceRow>(
    `SELECT ${columns} FROM audiences WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  return row ?? null
}

export function selectAudiences(
  sql: Sql,
  workspaceId: string,
  siteId: string | null,
  after: string,
  rows: number,
): Promise<AudienceRow[]> {
  return sql.query<AudienceRow>(
    `SELECT ${columns} FROM audiences
     WHERE workspace_id = $1 AND ($2::text IS NULL OR site_id = $2) AND id > $3 ORDER BY id LIMIT $4`,
    [workspaceId, siteId, after, rows],
  )
}

export async function countAudiences(sql: Sql, workspaceId: string, siteId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM audiences WHERE workspace_id = $1 AND site_id = $2',
    [workspaceId, siteId],
  )
  return row?.count ?? 0
}

/** Those that are due, the longest waiting first. */
export function selectDueAudiences(sql: Sql, now: Date, rows: number): Promise<AudienceRow[]> {
  return sql.query<AudienceRow>(
    `SELECT ${columns} FROM audiences
     WHERE status = 'active' AND refresh_after <= $1 ORDER BY refresh_after LIMIT $2`,
    [now, rows],
  )
}

export async function updateRefreshAfter(
  sql: Sql,
  { workspace_id, id }: Pick<AudienceRow, 'workspace_id' | 'id'>,
  refreshAfter: Date,
): Promise<void> {
  await sql.query('UPDATE audiences SET refresh_after = $3 WHERE workspace_id = $1 AND id = $2', [
    workspace_id,
    id,
    refreshAfter,
  ])
}

export async function updateRefreshed(
  sql: Sql,
  { workspace_id, id }: Pick<AudienceRow, 'workspace_id' | 'id'>,
  refreshed: { size: number; sizeAt: Date; dataUntil: Date; ledgerSeq: number; refreshAfter: Date },
): Promise<void> {
  const { size, sizeAt, dataUntil, ledgerSeq, refreshAfter } = refreshed
  await sql.query(
    `UPDATE audiences SET size = $3, size_at = $4, data_until = $5, ledger_seq = $6, refresh_after = $7
     WHERE workspace_id = $1 AND id = $2`,
    [workspace_id, id, size, sizeAt, dataUntil, ledgerSeq, refreshAfter],
  )
}
