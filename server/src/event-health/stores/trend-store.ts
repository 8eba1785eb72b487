import type { Count, Events } from '../../store/events.ts'
import { type HealthScope, isTimed, latency, mine, type Span, time } from './measures.ts'

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
