import type { SupersededSite } from '../../store/event-source.ts'
import type { Events } from '../../store/events.ts'

/** Sites with events that stopped counting, and the earliest time of these. */
export async function selectSupersededSites(events: Events, workspaceId: string): Promise<SupersededSite[]> {
  const rows = await events.query<{ site_id: string; from_ms: string | number }>(
    `SELECT toString(site_id) AS site_id, toUnixTimestamp64Milli(min(ts)) AS from_ms FROM superseded_events
     WHERE workspace_id = {workspaceId:String} GROUP BY site_id`,
    { workspaceId },
  )
  return rows.map((row) => ({ siteId: row.site_id, fromMs: Number(row.from_ms) }))
}
