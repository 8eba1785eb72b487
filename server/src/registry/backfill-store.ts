import type { Sql } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { countSql, type Overlay, overlayParams } from './overlay.ts'

export type BackfillRow = {
  id: string
  workspace_id: string
  site_id: string
  mapping_id: string
  source: string
  source_key: string
  target: string
  property_map: Record<string, string>
  from_at: Date
  to_at: Date
  status: 'running' | 'active' | 'counted' | 'withdrawn' | 'failed'
  progress: number
  events: number
  incomplete: number
  has_orders: boolean
  sent_names: string[]
  is_dry_run: boolean
  created_at: Date
}

const columns = `id, workspace_id, site_id, mapping_id, source, source_key, target, property_map, from_at, to_at, status,
  progress, events, incomplete, has_orders, sent_names, is_dry_run, created_at`
/** Postgres gives bigint as text, to be safe; a count of events is a number here. */
const read = columns.replace(
  'events, incomplete',
  'events::float8 AS events, incomplete::float8 AS incomplete',
)

export function toOverlay(row: BackfillRow): Overlay {
  return {
    id: row.id,
    siteId: row.site_id,
    fromMs: row.from_at.getTime(),
    toMs: row.to_at.getTime(),
    madeMs: row.created_at.getTime(),
    sentNames: row.sent_names,
    target: row.target,
    moves: Object.entries(row.property_map)
      .map(([from, to]) => ({ from, to }))
      .filter(({ from, to }) => from !== to),
    hasOrders: row.has_orders,
  }
}

export async function insertBackfill(sql: Sql, row: BackfillRow): Promise<void> {
  await sql.query(
    `INSERT INTO mapping_backfills (${columns})
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8::json, $9, $10, $11, $12, $13, $14, $15, $16::json, $17, $18)`,
    [
      row.id,
      row.workspace_id,
      row.site_id,
      row.mapping_id,
      row.source,
      row.source_key,
      row.target,
      JSON.stringify(row.property_map),
      row.from_at,
      row.to_at,
      row.status,
      row.progress,
      row.events,
      row.incomplete,
      row.has_orders,
      JSON.stringify(row.sent_names),
      row.is_dry_run,
      row.created_at,
    ],
  )
}

/** What counting found so far. Nothing happens once the back-fill was withdrawn. */
export async function updateBackfill(sql: Sql, row: BackfillRow): Promise<void> {
  await sql.query(
    `UPDATE mapping_backfills
     SET status = $2, progress = $3, events = $4, incomplete = $5, has_orders = $6, sent_names = $7::json
     WHERE id = $1 AND status = 'running'`,
    [
      row.id,
      row.status,
      row.progress,
      row.events,
      row.incomplete,
      row.has_orders,
      JSON.stringify(row.sent_names),
    ],
  )
}

export async function markWithdrawn(sql: Sql, id: string): Promise<void> {
  await sql.query(`UPDATE mapping_backfills SET status = 'withdrawn' WHERE id = $1`, [id])
}

export async function selectBackfill(sql: Sql, workspaceId: string, id: string): Promise<BackfillRow | null> {
  const [row] = await sql.query<BackfillRow>(
    `SELECT ${read} FROM mapping_backfills WHERE workspace_id = $1 AND id = $2`,
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
    `SELECT ${read} FROM mapping_backfills
     WHERE workspace_id = $1 AND site_id = $2 AND ($3::text IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [workspaceId, siteId, before, limit],
  )
}

export async function selectActiveBackfills(sql: Sql, workspaceId: string): Promise<BackfillRow[]> {
  return sql.query<BackfillRow>(
    `SELECT ${read} FROM mapping_backfills WHERE workspace_id = $1 AND status = 'active' ORDER BY id`,
    [workspaceId],
  )
}

/** Those that change reads, or will once they are counted. */
export async function selectStanding(sql: Sql, workspaceId: string): Promise<BackfillRow[]> {
  return sql.query<BackfillRow>(
    `SELECT ${read} FROM mapping_backfills
     WHERE workspace_id = $1 AND NOT is_dry_run AND status IN ('running', 'active')`,
    [workspaceId],
  )
}

/** Of all workspaces: what a stop has cut short. */
export async function selectRunningBackfills(sql: Sql): Promise<BackfillRow[]> {
  return sql.query<BackfillRow>(`SELECT ${read} FROM mapping_backfills WHERE status = 'running' ORDER BY id`)
}

type Range = { workspaceId: string; siteId: string; fromMs: number; toMs: number }

/** The names that arrived in a range, as they were sent; few, since the column is a dictionary. */
export async function selectSentNames(events: Events, range: Range): Promise<string[]> {
  const rows = await events.query<{ sent: string }>(
    `SELECT DISTINCT if(sent_name = '', name, sent_name) AS sent FROM events
     WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
       AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`,
    range,
  )
  return rows.map((row) => row.sent)
}

export type Counts = { events: number; incomplete: number; orders: number }

export async function selectCounts(
  events: Events,
  workspaceId: string,
  overlay: Overlay,
  sliceFrom: number,
  sliceTo: number,
): Promise<Counts> {
  const params = { ...overlayParams(workspaceId, [overlay]), sliceFrom, sliceTo }
  const [row] = await events.query<Record<keyof Counts, string>>(countSql(), params)
  return {
    events: Number(row?.events ?? 0),
    incomplete: Number(row?.incomplete ?? 0),
    orders: Number(row?.orders ?? 0),
  }
}
