import type { Overlay } from '../../store/event-source.ts'
import type { Count, Events } from '../../store/events.ts'

export type SeenName = { name: string; volume: number; lastMs: number; held: number }

type CountedName = { name: string; volume: Count; last_hour_ms: Count; held: Count }
type Scope = { workspaceId: string; siteId: string; sinceMs: number; generations: readonly string[] }

const arrived = `
  SELECT v.name AS name, v.hour AS hour, toInt64(v.events) AS seen, if(v.outcome = 'quarantine', seen, 0) AS held
  FROM verdicts AS v
  WHERE v.workspace_id = {workspaceId:String} AND ({siteId:String} = '' OR v.site_id = {siteId:String})
    AND v.hour >= fromUnixTimestamp64Milli({sinceMs:Int64}, 'UTC')
    AND v.outcome IN ('accept', 'warn', 'quarantine') AND v.events > 0 AND v.name != ''`

/** Each event that a back-fill renamed leaves one name, in the hour in which it was counted there, for another. */
const renamed = (name: string, sign: 1 | -1, held: string) => `
  SELECT ${name}, toStartOfHour(ts) AS hour, ${sign} * toInt64(count()), ${held}
  FROM overlaid_events
  WHERE generation IN {generations:Array(String)} AND workspace_id = {workspaceId:String} AND name != was_name
    AND toStartOfHour(ts) >= fromUnixTimestamp64Milli({sinceMs:Int64}, 'UTC')
  GROUP BY ${name}, hour`

/**
 * Names that arrived and were stored or quarantined. How many, and in which hour last, the hourly counts say; for the
 * time itself only the events of those hours are read, so the cost does not grow with the events.
 */
export async function selectSeenNames(
  events: Events,
  workspaceId: string,
  siteId: string | null,
  sinceMs: number,
  overlays: readonly Overlay[],
): Promise<SeenName[]> {
  const generations = overlays
    .filter((each) => siteId === null || each.siteId === siteId)
    .map(({ generation }) => generation)
  const scope = { workspaceId, siteId: siteId ?? '', sinceMs, generations }
  const counted = await selectCounts(events, scope)
  const hours = [...new Set(counted.map((row) => Number(row.last_hour_ms)))]
  const last = hours.length === 0 ? new Map() : await selectLastTimes(events, scope, hours)
  return counted.map(({ name, volume, last_hour_ms, held }) => ({
    name,
    volume: Number(volume),
    // Of events that were forgotten since, the hour is all that is left.
    lastMs: Math.max(Number(last_hour_ms), last.get(name) ?? 0),
    held: Number(held),
  }))
}

function selectCounts(events: Events, scope: Scope): Promise<CountedName[]> {
  const counts =
    scope.generations.length === 0
      ? arrived
      : [arrived, renamed('was_name', -1, '-toInt64(sum(was_held))'), renamed('name', 1, 'toInt64(0)')].join(
          ' UNION ALL ',
        )
  return events.query<CountedName>(
    `SELECT h.name AS name, sum(h.seen) AS volume, toInt64(toUnixTimestamp(max(h.hour))) * 1000 AS last_hour_ms,
            sum(h.held) AS held
     FROM (
       SELECT c.name AS name, c.hour AS hour, sum(c.seen) AS seen, sum(c.held) AS held
       FROM (${counts}) AS c GROUP BY name, hour HAVING seen > 0
     ) AS h GROUP BY name ORDER BY name`,
    scope,
  )
}

const inHours = `workspace_id = {workspaceId:String} AND ({siteId:String} = '' OR site_id = {siteId:String})
    AND toStartOfHour(ts) IN (SELECT toDateTime(intDiv(arrayJoin({hours:Array(Int64)}), 1000), 'UTC'))`
/** What a back-fill renamed was seen under its new name. */
const renamedRows = `FROM overlaid_events
    WHERE generation IN {generations:Array(String)} AND ${inHours} AND name != was_name`

/** A quarantined event may be ahead of its arrival by what a wrong clock is allowed; a day is more than that. */
const aheadMsMax = 86_400_000

/** When the last event of each name happened, of those that happened in one of these hours. */
async function selectLastTimes(
  events: Events,
  scope: Scope,
  hours: readonly number[],
): Promise<Map<string, number>> {
  const hasOverlays = scope.generations.length > 0
  const rows = await events.query<{ name: string; last_ms: Count }>(
    `SELECT s.name AS name, toUnixTimestamp64Milli(max(s.last)) AS last_ms
     FROM (
       SELECT toString(name) AS name, max(ts) AS last FROM events
       WHERE ${inHours}
         ${hasOverlays ? `AND (event_key, is_public) NOT IN (SELECT event_key, is_public ${renamedRows})` : ''}
       GROUP BY name
       UNION ALL
       SELECT toString(name) AS name, max(ts) AS last FROM quarantine
       WHERE ${inHours} AND received_at >= fromUnixTimestamp64Milli({receivedMs:Int64}, 'UTC')
         ${hasOverlays ? `AND event_id NOT IN (SELECT event_id ${renamedRows})` : ''}
       GROUP BY name
       ${hasOverlays ? `UNION ALL SELECT toString(name) AS name, max(ts) AS last ${renamedRows} GROUP BY name` : ''}
     ) AS s GROUP BY name`,
    { ...scope, hours, receivedMs: scope.sinceMs - aheadMsMax },
  )
  return new Map(rows.map(({ name, last_ms }) => [name, Number(last_ms)]))
}
