import type { BackfillStatus } from '@assay/contract'
import type { Sql } from '../../store/control.ts'
import type { Overlay } from '../../store/event-source.ts'

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
const columns = `id, workspace_id, site_id, mapping_id, source, target, property_map, from_at, to_at, status,
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

/**
 * Takes the next piece of work, or an abandoned one. Withdrawals come first, because they are short and
 * someone waits. Times are the database's, which all nodes share.
 */
export async function claimNext(sql: Sql, nodeId: string, leaseSeconds: number): Promise<BackfillRow | null> {
  const [row] = await sql.query<BackfillRow>(
    `UPDATE mapping_backfills
     SET claimed_by = $1, claimed_until = now() + make_interval(secs => $2),
         status = CASE WHEN status = 'queued' THEN 'running' ELSE status END
     WHERE id = (
       SELECT id FROM mapping_backfills
       WHERE status IN ('queued', 'running', 'withdrawing') AND (claimed_until < now() OR claimed_by = $1)
       ORDER BY status = 'withdrawing' DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${columns}`,
    [nodeId, leaseSeconds],
  )
  return row ?? null
}

/**
 * False when the claim was lost or the back-fill withdrawn meanwhile: then the page just written is
 * discarded.
 */
export async function saveProgress(
  sql: Sql,
  nodeId: string,
  row: Pick<BackfillRow, 'id' | 'cursor_ms' | 'cursor_id'> & BackfillCounts,
): Promise<boolean> {
  const saved = await sql.query(
    `UPDATE mapping_backfills
     SET judged = $3, events = $4, renamed = $5, refused = $6, codes = $7::json, cursor_ms = $8, cursor_id = $9,
         tries = 0
     WHERE id = $1 AND claimed_by = $2 AND status = 'running' RETURNING id`,
    [
      row.id,
      nodeId,
      row.judged,
      row.events,
      row.renamed,
      row.refused,
      JSON.stringify(row.codes),
      row.cursor_ms,
      row.cursor_id,
    ],
  )
  return saved.length > 0
}

export async function extendClaim(sql: Sql, nodeId: string, id: string, seconds: number): Promise<void> {
  await sql.query(
    `UPDATE mapping_backfills SET claimed_until = now() + make_interval(secs => $3)
     WHERE id = $1 AND claimed_by = $2`,
    [id, nodeId, seconds],
  )
}

/** Lets go of a claim until later, or at once. */
export async function releaseClaim(
  sql: Sql,
  nodeId: string,
  id: string,
  waitSeconds: number,
  tries: number,
): Promise<void> {
  await sql.query(
    `UPDATE mapping_backfills SET claimed_by = '', claimed_until = now() + make_interval(secs => $3), tries = $4
     WHERE id = $1 AND claimed_by = $2`,
    [id, nodeId, waitSeconds, tries],
  )
}

/** False when another node ended it, or it was withdrawn while it ran. */
export async function endBackfill(
  sql: Sql,
  nodeId: string,
  id: string,
  from: 'running' | 'withdrawing',
  to: 'done' | 'failed' | 'withdrawn',
  at: Date,
): Promise<boolean> {
  const ended = await sql.query(
    `UPDATE mapping_backfills SET status = $4, finished_at = $5, claimed_by = '', claimed_until = 'epoch'
     WHERE id = $1 AND claimed_by = $2 AND status = $3 RETURNING id`,
    [id, nodeId, from, to, at],
  )
  return ended.length > 0
}

type Generations = { generation: string; previous: string; next: string }

/** Notes which generation is being made, and answers what was noted before. */
export async function beginGeneration(
  sql: Sql,
  workspaceId: string,
  siteId: string,
  next: string,
): Promise<Generations> {
  await sql.query(
    'INSERT INTO site_overlays (site_id, workspace_id) VALUES ($1, $2) ON CONFLICT (site_id) DO NOTHING',
    [siteId, workspaceId],
  )
  const [before] = await sql.query<Generations>(
    'SELECT generation, previous, next FROM site_overlays WHERE site_id = $1',
    [siteId],
  )
  await sql.query('UPDATE site_overlays SET next = $2 WHERE site_id = $1', [siteId, next])
  return before ?? { generation: '', previous: '', next: '' }
}

export type GenerationExtent = { generation: string; fromMs: number; toMs: number; hasOrders: boolean }

/** From here on reads go by this generation, or by none. */
export async function setGeneration(
  sql: Sql,
  siteId: string,
  extent: GenerationExtent | null,
  at: Date,
): Promise<void> {
  await sql.query(
    `UPDATE site_overlays
     SET previous = generation, generation = $2, next = '', from_at = $3, to_at = $4, has_orders = $5, settled_at = $6
     WHERE site_id = $1`,
    [
      siteId,
      extent?.generation ?? '',
      extent === null ? null : new Date(extent.fromMs),
      extent === null ? null : new Date(extent.toMs),
      extent?.hasOrders ?? false,
      at,
    ],
  )
}

/** Generations that no read goes by any more. */
export async function selectSuperseded(
  sql: Sql,
  before: Date,
): Promise<{ site_id: string; previous: string }[]> {
  return sql.query(`SELECT site_id, previous FROM site_overlays WHERE previous != '' AND settled_at < $1`, [
    before,
  ])
}

export async function forgetPrevious(sql: Sql, siteId: string, previous: string): Promise<void> {
  await sql.query(`UPDATE site_overlays SET previous = '' WHERE site_id = $1 AND previous = $2`, [
    siteId,
    previous,
  ])
}

/** Dry runs whose process died before it could clear up. */
export async function selectLeftDryRuns(sql: Sql, before: Date): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT id FROM mapping_backfills WHERE status = 'dry_run' AND created_at < $1`,
    [before],
  )
  return rows.map((row) => row.id)
}

export async function selectOverlays(sql: Sql, workspaceId: string): Promise<Overlay[]> {
  const rows = await sql.query<{
    site_id: string
    generation: string
    from_at: Date
    to_at: Date
    has_orders: boolean
  }>(
    `SELECT site_id, generation, from_at, to_at, has_orders FROM site_overlays
     WHERE workspace_id = $1 AND generation != '' ORDER BY site_id`,
    [workspaceId],
  )
  return rows.map((row) => ({
    siteId: row.site_id,
    generation: row.generation,
    fromMs: row.from_at.getTime(),
    toMs: row.to_at.getTime(),
    hasOrders: row.has_orders,
  }))
}
