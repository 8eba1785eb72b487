import type { Count, Events } from '../store/events.ts'

/**
 * Health is about what was sent: verdicts are counted on arrival, and events are read as they were stored, without
 * what back-fills or merges make of them later.
 */
export type HealthScope = { workspaceId: string; siteIds: readonly string[] }
export type Span = { fromMs: number; toMs: number }

const hour = (parameter: string) => `toDateTime(intDiv({${parameter}:Int64}, 1000), 'UTC')`
const time = (parameter: string) => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`
const mine = 'workspace_id = {workspaceId:String} AND site_id IN {siteIds:Array(String)}'
/** What came more than a day late waited in a device that was off; that says nothing of the way. */
const latencyMsMax = 86_400_000
const latency = 'greatest(0, toUnixTimestamp64Milli(received_at) - toUnixTimestamp64Milli(ts))'
/** Nor does what was brought in later: imports, events marked as historical, the demo. */
const isTimed = `endpoint != 'import' AND ${latency} < ${latencyMsMax}`
const p95 = `quantileTDigestIf(0.95)(${latency}, ${isTimed})`

export type ArrivalRow = {
  name: string
  arrived: Count
  accepted: Count
  warned: Count
  held: Count
  rejected: Count
  repeats: Count
  lately: Count
  before: Count[]
}

type ArrivalOptions = {
  /** How many spans before are looked at, and by how many weeks each lies further back. */
  spans: number
  weeksApart: number
  rows: number
  name: string | null
}

/** Arrivals of a span by name, those of its last day, and those of the same span some weeks before. */
export function selectArrivals(
  events: Events,
  scope: HealthScope,
  span: Span,
  { spans, weeksApart, rows, name }: ArrivalOptions,
): Promise<ArrivalRow[]> {
  const within = (weeks: number) =>
    `hour >= ${hour('fromMs')} - INTERVAL ${weeks} WEEK AND hour < ${hour('toMs')} - INTERVAL ${weeks} WEEK`
  const sum = (outcome: string) => `sumIf(events, ${within(0)} AND outcome = '${outcome}')`
  const before = Array.from(
    { length: spans },
    (_, index) => `sumIf(events, ${within((index + 1) * weeksApart)})`,
  )
  return events.query<ArrivalRow>(
    `SELECT name, sumIf(events, ${within(0)}) AS arrived, ${sum('accept')} AS accepted, ${sum('warn')} AS warned,
            ${sum('quarantine')} AS held, ${sum('reject')} AS rejected, sumIf(duplicates, ${within(0)}) AS repeats,
            sumIf(events, hour >= ${hour('toMs')} - INTERVAL 1 DAY) AS lately, [${before.join(', ')}] AS before
     FROM verdicts
     WHERE ${mine} AND name != '' AND hour >= ${hour('fromMs')} - INTERVAL ${spans * weeksApart} WEEK
       AND hour < ${hour('toMs')} ${name === null ? '' : 'AND name = {name:String}'}
     GROUP BY name ORDER BY arrived DESC, name LIMIT {rows:UInt32}`,
    { ...scope, ...span, rows, ...(name !== null && { name }) },
  )
}

export type StoredRow = { name: string; p95_ms: number | null; last_ms: Count }

/** When the last quarantined event of each name happened. */
export function selectQuarantinedLast(
  events: Events,
  scope: HealthScope,
  span: Span,
  name: string | null,
): Promise<Pick<StoredRow, 'name' | 'last_ms'>[]> {
  return events.query<Pick<StoredRow, 'name' | 'last_ms'>>(
    `SELECT name, toUnixTimestamp64Milli(max(ts)) AS last_ms
     FROM quarantine WHERE ${mine} AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
       AND received_at >= ${time('fromMs')} - INTERVAL 1 DAY
       ${name === null ? '' : 'AND name = {name:String}'}
     GROUP BY name`,
    { ...scope, ...span, ...(name !== null && { name }) },
  )
}

/** How long stored events took to arrive, and when the last one happened. */
export function selectStored(
  events: Events,
  scope: HealthScope,
  span: Span,
  name: string | null,
): Promise<StoredRow[]> {
  return events.query<StoredRow>(
    `SELECT name, ${p95} AS p95_ms, toUnixTimestamp64Milli(max(ts)) AS last_ms
     FROM events WHERE ${mine} AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
       ${name === null ? '' : 'AND name = {name:String}'}
     GROUP BY name`,
    { ...scope, ...span, ...(name !== null && { name }) },
  )
}

export type HourRow = { site_id: string; name: string; hour_ms: Count; arrived: Count }

/** Arrivals by hour: the series that is watched. Of one event, or of those that came most. */
export function selectHours(
  events: Events,
  scope: HealthScope,
  span: Span,
  { name, names }: { name: string | null; names: number },
): Promise<HourRow[]> {
  return events.query<HourRow>(
    `SELECT site_id, name, toInt64(toUnixTimestamp(hour)) * 1000 AS hour_ms, sum(events) AS arrived
     FROM verdicts
     WHERE ${mine} AND hour >= ${hour('fromMs')} AND hour < ${hour('toMs')}
       AND ${
         name !== null
           ? 'name = {name:String}'
           : `(site_id, name) IN (
         SELECT site_id, name FROM verdicts
         WHERE ${mine} AND name != '' AND hour >= ${hour('fromMs')} AND hour < ${hour('toMs')}
         GROUP BY site_id, name ORDER BY sum(events) DESC, name LIMIT {names:UInt32})`
       }
     GROUP BY site_id, name, hour ORDER BY site_id, name, hour`,
    { ...scope, ...span, names, ...(name !== null && { name }) },
  )
}

/**
 * When each site began to send: its first hour in the span, or the span's own beginning where anything came in as long
 * a time before it. What that costs does not grow with history.
 */
export async function selectBeginnings(
  events: Events,
  scope: HealthScope,
  { fromMs, toMs }: Span,
): Promise<Map<string, number>> {
  const rows = await events.query<{ site_id: string; first_ms: Count }>(
    `SELECT site_id, toInt64(toUnixTimestamp(min(hour))) * 1000 AS first_ms FROM verdicts
     WHERE ${mine} AND events > 0 AND hour >= ${hour('earlierMs')} AND hour < ${hour('toMs')}
     GROUP BY site_id`,
    { ...scope, earlierMs: fromMs - (toMs - fromMs), toMs },
  )
  return new Map(rows.map((row) => [row.site_id, Math.max(fromMs, Number(row.first_ms))]))
}

/** Stored events of each surface by hour, each as if its name were an event's. */
export function selectSurfaceHours(events: Events, scope: HealthScope, span: Span): Promise<HourRow[]> {
  return events.query<HourRow>(
    `SELECT site_id, surface AS name, toInt64(toUnixTimestamp(toStartOfHour(ts))) * 1000 AS hour_ms,
            count() AS arrived
     FROM events
     WHERE ${mine} AND surface != '' AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
     GROUP BY site_id, name, hour_ms`,
    { ...scope, ...span },
  )
}

export type IssueRow = {
  site_id: string
  name: string
  code: string
  now: Count
  earlier: Count
  repeats_now: Count
  repeats_earlier: Count
}

/** Arrivals by their worst issue, of the last day and of the time before it. */
export function selectIssues(
  events: Events,
  scope: HealthScope,
  span: Span,
  nowFromMs: number,
): Promise<IssueRow[]> {
  return events.query<IssueRow>(
    `SELECT site_id, name, code, sumIf(events, hour >= ${hour('nowFromMs')}) AS now,
            sumIf(events, hour < ${hour('nowFromMs')}) AS earlier,
            sumIf(duplicates, hour >= ${hour('nowFromMs')}) AS repeats_now,
            sumIf(duplicates, hour < ${hour('nowFromMs')}) AS repeats_earlier
     FROM verdicts
     WHERE ${mine} AND name != '' AND hour >= ${hour('fromMs')} AND hour < ${hour('toMs')}
     GROUP BY site_id, name, code`,
    { ...scope, ...span, nowFromMs },
  )
}

export type QuarantinedRow = {
  workspace_id: string
  site_id: string
  /** Empty for all events of the site together. */
  event_name: string
  held: Count
  arrived: Count
}

/** Quarantined arrivals since an hour, by event and for each site as a whole. */
export function selectHeld(
  events: Events,
  workspaceIds: readonly string[],
  sinceMs: number,
  namesMax: number,
): Promise<QuarantinedRow[]> {
  return events.query<QuarantinedRow>(
    `SELECT workspace_id, site_id, event_name, sumIf(events, outcome = 'quarantine') AS held, sum(events) AS arrived
     FROM verdicts
     ARRAY JOIN if(name = '', [''], [toString(name), '']) AS event_name
     WHERE workspace_id IN {workspaceIds:Array(String)} AND hour >= ${hour('sinceMs')}
     GROUP BY workspace_id, site_id, event_name HAVING held > 0
     ORDER BY held DESC, event_name LIMIT {namesMax:UInt32} BY workspace_id`,
    { workspaceIds, sinceMs, namesMax },
  )
}

export type LatencyRow = { site_id: string; bin_ms: Count; p95_ms: number }

/** The 95th percentile of every five minutes; those with fewer than ten events say nothing. */
export function selectLatency(events: Events, scope: HealthScope, span: Span): Promise<LatencyRow[]> {
  return events.query<LatencyRow>(
    `SELECT site_id, intDiv(toUnixTimestamp64Milli(ts), 300000) * 300000 AS bin_ms,
            quantileTDigest(0.95)(${latency}) AS p95_ms
     FROM events
     WHERE ${mine} AND ts >= ${time('fromMs')} AND ts < ${time('toMs')} AND ${isTimed}
     GROUP BY site_id, bin_ms HAVING count() >= 10`,
    { ...scope, ...span },
  )
}

export type TrendRow = {
  dimension: string
  value: string
  now: Count
  earlier: Count
  warned: Count
  p95_ms: number | null
  first_ms: Count
}

/** Stored events of one name by what sent them, now and in the time before. */
export function selectTrends(
  events: Events,
  scope: HealthScope,
  span: Span,
  name: string,
  nowFromMs: number,
): Promise<TrendRow[]> {
  const isNow = `ts >= ${time('nowFromMs')}`
  return events.query<TrendRow>(
    `SELECT pair.1 AS dimension, pair.2 AS value, countIf(${isNow}) AS now, countIf(NOT (${isNow})) AS earlier,
            countIf(${isNow} AND outcome = 'warn') AS warned,
            quantileTDigestIf(0.95)(${latency}, ${isNow} AND ${isTimed}) AS p95_ms,
            toUnixTimestamp64Milli(min(ts)) AS first_ms
     FROM events
     ARRAY JOIN [('release', toString(release)), ('sdk', toString(sdk)),
                 ('source', concat(toString(surface), ' ', toString(endpoint))),
                 ('contract_version', toString(contract_version))] AS pair
     WHERE ${mine} AND name = {name:String} AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
     GROUP BY dimension, value ORDER BY dimension, now DESC, value LIMIT 20 BY dimension`,
    { ...scope, ...span, name, nowFromMs },
  )
}

export type CoverageRow = {
  surface: string
  name: string
  week: Count
  last_ms: Count
  gap_hours: number | null
}

/** What came from each surface in a month: how much in its last week, when last, and how far apart usually. */
export function selectCoverage(
  events: Events,
  scope: HealthScope,
  span: Span,
  weekFromMs: number,
): Promise<CoverageRow[]> {
  return events.query<CoverageRow>(
    `SELECT surface, name, countIf(ts >= ${time('weekFromMs')}) AS week, toUnixTimestamp64Milli(max(ts)) AS last_ms,
            arrayReduce('quantileExact(0.95)', arrayPopFront(arrayDifference(
              arraySort(groupUniqArray(toInt64(intDiv(toUnixTimestamp64Milli(ts), 3600000))))))) AS gap_hours
     FROM events
     WHERE ${mine} AND ts >= ${time('fromMs')} AND ts < ${time('toMs')} GROUP BY surface, name`,
    { ...scope, ...span, weekFromMs },
  )
}

export type LossRow = { surface: string; reason: string; lost: number }

/** What SDKs say they had to drop. */
export function selectLoss(events: Events, scope: HealthScope, span: Span): Promise<LossRow[]> {
  return events.query<LossRow>(
    `SELECT surface, JSONExtractString(properties, 'reason') AS reason,
            sum(JSONExtractFloat(properties, 'count')) AS lost
     FROM events
     WHERE ${mine} AND name = 'sdk_loss' AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
     GROUP BY surface, reason`,
    { ...scope, ...span },
  )
}

export type SightingRow = {
  order_id: string
  kind: 'browser' | 'server' | 'webhook'
  name: string
  event_id: string
  platform_id: string
  ms: Count
  amount: string | null
  currency: string
}

/** Every purchase that names an order, also those that did not count since the order was known. */
export function selectSightings(
  events: Events,
  scope: HealthScope,
  span: Span,
  trustedKeys: readonly string[],
  rows: number,
): Promise<SightingRow[]> {
  return events.query<SightingRow>(
    `SELECT order_id, multiIf(startsWith(endpoint, 'webhook:'), 'webhook',
            key_id IN {trustedKeys:Array(String)}, 'server',
                    'browser') AS kind,
            name, event_id, if(JSONExtractString(properties, 'event_id') = '', event_id,
                               JSONExtractString(properties, 'event_id')) AS platform_id,
            toUnixTimestamp64Milli(ts) AS ms, toString(amount) AS amount, currency
     FROM events
     WHERE ${mine} AND name = '$purchase' AND order_id != '' AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
     ORDER BY ts DESC, event_id LIMIT {rows:UInt32}`,
    { ...scope, ...span, trustedKeys, rows },
  )
}

type StoredRecord = {
  event_id: string
  name: string
  ms: Count
  person_id: string
  anonymous_id: string
  source: string
  properties: string
}

export async function selectRecord(
  events: Events,
  workspaceId: string,
  { siteId, tsMs, eventId }: { siteId: string; tsMs: number; eventId: string },
): Promise<StoredRecord | null> {
  const [row] = await events.query<StoredRecord>(
    `SELECT event_id, name, toUnixTimestamp64Milli(ts) AS ms, person_id, anonymous_id,
            concat(toString(surface), ' ', toString(endpoint)) AS source, properties
     FROM events
     WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String} AND ts = ${time('tsMs')}
       AND event_id = {eventId:String} LIMIT 1`,
    { workspaceId, siteId, tsMs, eventId },
  )
  return row ?? null
}

/** Workspaces to which anything came since. */
export async function selectActive(events: Events, sinceMs: number): Promise<string[]> {
  const rows = await events.query<{ workspace_id: string }>(
    `SELECT DISTINCT workspace_id FROM verdicts WHERE hour >= ${hour('sinceMs')}`,
    { sinceMs },
  )
  return rows.map((row) => row.workspace_id)
}
