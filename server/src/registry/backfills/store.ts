import type { BackfillStatus } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

/** How far a back-fill got, and what it found so far. */
export type BackfillCounts = {
  judged: number
  events: number
  renamed: number
  refused: number
  codes: Record<string, number>
}

export type BackfillRow = BackfillCounts & {
  id: string
  workspace_id: string
  site_id: string
  mapping_id: string
  source: string
  target: string
  property_map: Record<string, string>
  from_at: Date
  to_at: Date
  status: BackfillStatus | 'dry_run'
  /** How the source was spelt in the range. */
  sent_names: string[]
  matched: number
  cursor_ms: number
  cursor_id: string
  tries: number
  created_at: Date
  finished_at: Date | null
}

/** Postgres gives bigint as text, to be safe; a count of events is a number here. */
export const columns = `id, workspace_id, site_id, mapping_id, source, target, property_map, from_at, to_at, status,
  sent_names, matched::float8 AS matched, judged::float8 AS judged, events::float8 AS events,
  renamed::float8 AS renamed,
  refused::float8 AS refused, codes, cursor_ms::float8 AS cursor_ms, cursor_id, tries, created_at, finished_at`

export type NewBackfill = Pick<
  BackfillRow,
  | 'id'
  | 'workspace_id'
  | 'site_id'
  | 'mapping_id'
  | 'source'
  | 'target'
  | 'property_map'
  | 'from_at'
  | 'to_at'
  | 'status'
  | 'sent_names'
  | 'matched'
  | 'created_at'
>

export async function insertBackfill(sql: Sql, row: NewBackfill): Promise<BackfillRow> {
  const [inserted] = await sql.query<BackfillRow>(
    `INSERT INTO mapping_backfills (id, workspace_id, site_id, mapping_id, source, target, property_map, from_at,
                                    to_at, status, sent_names, matched, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7::json, $8, $9, $10, $11::json, $12, $13) RETURNING ${columns}`,
    [
      row.id,
      row.workspace_id,
      row.site_id,
      row.mapping_id,
      row.source,
      row.target,
      JSON.stringify(row.property_map),
      row.from_at,
      row.to_at,
      row.status,
      JSON.stringify(row.sent_names),
      row.matched,
      row.created_at,
    ],
  )
  if (inserted === undefined) throw new Error('an insert that returns its row returned none')
  return inserted
}

export async function deleteBackfill(sql: Sql, id: string): Promise<void> {
  await sql.query('DELETE FROM mapping_backfills WHERE id = $1', [id])
}

export async function selectBackfill(sql: Sql, workspaceId: string, id: string): Promise<BackfillRow | null> {
  const [row] = await sql.query<BackfillRow>(
    `SELECT ${columns} FROM mapping_backfills WHERE workspace_id = $1 AND id = $2 AND status != 'dry_run'`,
    [workspaceId, id],
  )
  return row ?? null
}

/** Newest first. */
export async function selectBackfills(
  sql: Sql,
  workspaceId: string,
  siteId: string,
  before: string | null,
  limit: number,
): Promise<BackfillRow[]> {
  return sql.query<BackfillRow>(
    `SELECT ${columns} FROM mapping_backfills
     WHERE workspace_id = $1 AND site_id = $2 AND status != 'dry_run' AND ($3::text IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [workspaceId, siteId, before, limit],
  )
}

/** Those that change reads, or will; how many, and how many events they are about. */
export async function countStanding(
  sql: Sql,
  siteId: string,
): Promise<{ backfills: number; events: number }> {
  const [row] = await sql.query<{ backfills: number; events: number }>(
    `SELECT count(*)::int AS backfills, coalesce(sum(matched), 0)::float8 AS events FROM mapping_backfills
     WHERE site_id = $1 AND status IN ('queued', 'running', 'done')`,
    [siteId],
  )
  return row ?? { backfills: 0, events: 0 }
}

export async function selectDone(sql: Sql, siteId: string): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT id FROM mapping_backfills WHERE site_id = $1 AND status = 'done' ORDER BY id`,
    [siteId],
  )
  return rows.map((row) => row.id)
}

/** Null when it is over already. */
export async function markWithdrawing(
  sql: Sql,
  workspaceId: string,
  id: string,
): Promise<BackfillRow | null> {
  const [row] = await sql.query<BackfillRow>(
    `UPDATE mapping_backfills SET status = 'withdrawing'
     WHERE workspace_id = $1 AND id = $2 AND status IN ('queued', 'running', 'done') RETURNING ${columns}`,
    [workspaceId, id],
  )
  return row ?? null
}

/** Dry runs whose process died before it could clear up. */
export async function selectLeftDryRuns(sql: Sql, before: Date): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT id FROM mapping_backfills WHERE status = 'dry_run' AND created_at < $1`,
    [before],
  )
  return rows.map((row) => row.id)
}
