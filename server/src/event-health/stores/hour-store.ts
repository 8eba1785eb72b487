import type { Count, Events } from '../../store/events.ts'
import { type HealthScope, hour, mine, type Span, time } from './measures.ts'

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
