import type { Overlay } from '../store/event-source.ts'
import type { Events } from '../store/events.ts'

export type SeenName = {
  name: string
  volume: string | number
  last_ms: string | number
  held: string | number
}

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

/** Names that arrived and were stored or held, from the hourly counts: the cost does not grow with the events. */
export function selectSeenNames(
  events: Events,
  workspaceId: string,
  siteId: string | null,
  sinceMs: number,
  overlays: readonly Overlay[],
): Promise<SeenName[]> {
  const generations = overlays.filter((each) => siteId === null || each.siteId === siteId)
  const counts =
    generations.length === 0
      ? arrived
      : [arrived, renamed('was_name', -1, '-toInt64(sum(was_held))'), renamed('name', 1, 'toInt64(0)')].join(
          ' UNION ALL ',
        )
  return events.query<SeenName>(
    `SELECT h.name AS name, sum(h.seen) AS volume, toUnixTimestamp(max(h.hour)) * 1000 AS last_ms, sum(h.held) AS held
     FROM (
       SELECT c.name AS name, c.hour AS hour, sum(c.seen) AS seen, sum(c.held) AS held
       FROM (${counts}) AS c GROUP BY name, hour HAVING seen > 0
     ) AS h GROUP BY name ORDER BY name`,
    {
      workspaceId,
      siteId: siteId ?? '',
      sinceMs,
      generations: generations.map(({ generation }) => generation),
    },
  )
}
