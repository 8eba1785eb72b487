import { type EventFilter, eventsOf } from '../store/event-filter.ts'
import type { Count, Events } from '../store/events.ts'

export type RecentEvents = { ofPage: number; ofSite: number }

/** Stored events since then, of one page and of the whole site. */
export async function countRecent(
  events: Events,
  site: Pick<EventFilter, 'workspaceId' | 'siteId'>,
  range: { fromMs: number; toMs: number },
  path: string,
): Promise<RecentEvents> {
  const readOverlays = { overlay: null, superseded: null, hasMerges: false }
  const { from, where, params } = eventsOf({ ...site, includeBots: true, readOverlays }, range)
  const [row] = await events.query<{ of_page: Count; of_site: Count }>(
    `SELECT countIf(path = {path:String}) AS of_page, count() AS of_site FROM ${from} WHERE ${where}`,
    { ...params, path },
  )
  return { ofPage: Number(row?.of_page ?? 0), ofSite: Number(row?.of_site ?? 0) }
}
