import type { Events } from '../store/events.ts'

export type SeenName = {
  name: string
  volume: string | number
  last_ms: string | number
  held: string | number
}

/** Names that arrived and were stored or held, from the hourly counts: the cost does not grow with the events. */
export function selectSeenNames(
  events: Events,
  workspaceId: string,
  siteId: string | null,
  sinceMs: number,
): Promise<SeenName[]> {
  return events.query<SeenName>(
    `SELECT v.name AS name, sum(v.events) AS volume, toUnixTimestamp(max(v.hour)) * 1000 AS last_ms,
            sumIf(v.events, v.outcome = 'quarantine') AS held
     FROM verdicts AS v
     WHERE v.workspace_id = {workspaceId:String} AND ({siteId:String} = '' OR v.site_id = {siteId:String})
       AND v.hour >= fromUnixTimestamp64Milli({sinceMs:Int64}, 'UTC')
       AND v.outcome IN ('accept', 'warn', 'quarantine') AND v.events > 0 AND v.name != ''
     GROUP BY name ORDER BY name`,
    { workspaceId, siteId: siteId ?? '', sinceMs },
  )
}
