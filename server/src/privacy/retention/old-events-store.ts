import type { Count, Events, QueryParams } from '../../store/events.ts'
import { changeRows } from '../../store/row-changes.ts'

/** Events of a site before this moment are to go. */
export type Bound = { workspaceId: string; siteId: string; beforeMs: number }

/** Several sites share one statement, since each deletion rewrites parts that contain all sites. */
function paramsOf(bounds: readonly Bound[]): QueryParams {
  return {
    workspaceIds: [...new Set(bounds.map(({ workspaceId }) => workspaceId))],
    siteIds: bounds.map(({ siteId }) => siteId),
    places: bounds.map(({ workspaceId, siteId }) => `${workspaceId} ${siteId}`),
    bounds: bounds.map(({ beforeMs }) => beforeMs),
    latestMs: Math.max(...bounds.map(({ beforeMs }) => beforeMs)),
  }
}

const ofSites = 'workspace_id IN {workspaceIds:Array(String)} AND site_id IN {siteIds:Array(String)}'
/** Long before anything that a column of time can hold: what is of no site that was named is never old. */
const never = 'toInt64(-100000000000000)'
const boundOfSite = `transform(concat(toString(workspace_id), ' ', toString(site_id)), {places:Array(String)},
         {bounds:Array(Int64)}, ${never})`
const isBefore = (column: string) => `toUnixTimestamp64Milli(${column}) < ${boundOfSite}`

/** The first conditions are what the order of the tables can be searched by, the last is the exact one. */
const old = (column: string) =>
  `${ofSites} AND ${column} < fromUnixTimestamp64Milli({latestMs:Int64}, 'UTC') AND ${isBefore(column)}`

type OldRow = { kind: 'stored' | 'held'; month: string; workspace_id: string; site_id: string; rows: number }

/** Months with old events; and old quarantined events, by arrival. */
export async function selectOld(events: Events, bounds: readonly Bound[]): Promise<OldRow[]> {
  const rows = await events.query<Omit<OldRow, 'rows'> & { rows: string | number }>(
    `SELECT 'stored' AS kind, toString(toYYYYMM(ts)) AS month, workspace_id, site_id, count() AS rows
     FROM events WHERE ${old('ts')} GROUP BY month, workspace_id, site_id
     UNION ALL
     SELECT 'held', '', workspace_id, site_id, count() FROM quarantine WHERE ${old('received_at')}
     GROUP BY workspace_id, site_id`,
    paramsOf(bounds),
  )
  return rows.map((row) => ({ ...row, rows: Number(row.rows) }))
}

/** What is deleted from each table. The events come last: an interrupted run finds them and continues. */
function oldRows(): readonly (readonly [table: string, where: string])[] {
  return [
    ['event_overlays', old('ts')],
    ['overlaid_events', old('ts')],
    ['superseded_events', old('ts')],
    ['attribution_touches', old('ts')],
    ['attribution_outcomes', old('ts')],
    ['error_sightings', unseenSince],
    // An id is known for as long as promised, regardless of the time of its event.
    ['event_ids', `${old('received_at')} AND ${isBefore('ts')}`],
    ['quarantine_states', decidedAboutOld],
    ['quarantine', old('received_at')],
    ['events', old('ts')],
  ]
}

/**
 * One statement per table, and none for a table without old rows: a deletion rewrites unchanged parts too,
 * which takes the portable engine a while.
 */
export async function deleteOld(events: Events, bounds: readonly Bound[]): Promise<void> {
  const params = paramsOf(bounds)
  const found = await events.query<{ name: string; rows: string | number }>(
    oldRows()
      .map(([table, where]) => `SELECT '${table}' AS name, count() AS rows FROM ${table} WHERE ${where}`)
      .join('\n     UNION ALL '),
    params,
  )
  const rowsOf = new Map(found.map(({ name, rows }) => [name, Number(rows)]))
  for (const [table, where] of oldRows()) {
    if ((rowsOf.get(table) ?? 0) === 0) continue
    await changeRows(events, `ALTER TABLE ${table} DELETE WHERE ${where}`, params)
  }
}

/**
 * First and last seen times are spread over several rows until they are merged; only all of them give the
 * last time.
 */
const unseenSince = `${ofSites} AND (workspace_id, site_id, error_key) IN (
  SELECT workspace_id, site_id, error_key FROM error_sightings WHERE ${ofSites}
  GROUP BY workspace_id, site_id, error_key
  HAVING toUnixTimestamp64Milli(max(last_ts)) < ${boundOfSite})`

/** Decisions name their workspace only. */
const decidedAboutOld = `workspace_id IN {workspaceIds:Array(String)} AND (workspace_id, received_at, event_id) IN (
  SELECT workspace_id, received_at, event_id FROM quarantine WHERE ${old('received_at')})`

type Preview = {
  events: number
  oldestMs: number | null
  removed: number
  held: number
}

/** How much of a site there is, and how much of it is before a moment. */
export async function selectPreview(events: Events, bound: Bound): Promise<Preview> {
  const ofSite = 'workspace_id = {workspaceId:String} AND site_id = {siteId:String}'
  const before = `fromUnixTimestamp64Milli({beforeMs:Int64}, 'UTC')`
  const [row] = await events.query<Record<'events' | 'removed' | 'oldest_ms' | 'held', Count>>(
    `WITH (SELECT count() FROM quarantine WHERE ${ofSite} AND received_at < ${before}) AS held_rows
     SELECT count() AS events, countIf(ts < ${before}) AS removed, toUnixTimestamp64Milli(min(ts)) AS oldest_ms,
            held_rows AS held
     FROM events WHERE ${ofSite}`,
    bound,
  )
  const stored = Number(row?.events ?? 0)
  return {
    events: stored,
    oldestMs: stored === 0 ? null : Number(row?.oldest_ms ?? 0),
    removed: Number(row?.removed ?? 0),
    held: Number(row?.held ?? 0),
  }
}
