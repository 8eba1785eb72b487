import { learningCodes } from '@assay/contract'
import type { Events } from '../../store/events.ts'

type UnregisteredName = { name: string; events: string; quarantined: string }

/** From the hourly counts of verdicts, so the cost does not grow with the events. `siteId` empty means all sites. */
export function selectUnregistered(
  events: Events,
  workspaceId: string,
  siteId: string,
  sinceMs: number,
): Promise<UnregisteredName[]> {
  return events.query<UnregisteredName>(
    `SELECT v.name AS name, toString(sum(v.events)) AS events,
            toString(sumIf(v.events, v.outcome = 'quarantine')) AS quarantined
     FROM verdicts AS v
     WHERE v.workspace_id = {workspaceId:String} AND ({siteId:String} = '' OR v.site_id = {siteId:String})
       AND v.hour >= fromUnixTimestamp64Milli({sinceMs:Int64}, 'UTC')
       AND v.code IN {codes:Array(String)} AND v.outcome IN ('warn', 'quarantine') AND v.events > 0
     GROUP BY name ORDER BY sum(v.events) DESC, name`,
    { workspaceId, siteId, sinceMs, codes: learningCodes },
  )
}
