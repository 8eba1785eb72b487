import type { Live } from '@assay/contract'
import type { EventFilter } from '../store/event-filter.ts'
import type { Events } from '../store/events.ts'
import { hasPageviews } from './overview.ts'
import { isoTime } from './period.ts'
import { selectLive, selectLivePages } from './store.ts'

/** The usual window for visitors online. */
const liveWindowMs = 5 * 60_000
const pagesMax = 20

/** Clocks of senders are corrected to within seconds, so some events are slightly in the future. */
export const liveRange = (nowMs: number) => ({ fromMs: nowMs - liveWindowMs, toMs: nowMs + liveWindowMs })

export async function readLive(events: Events, filter: EventFilter, nowMs: number): Promise<Live> {
  const range = liveRange(nowMs)
  const [row, pages] = await Promise.all([
    selectLive(events, filter, range),
    selectLivePages(events, filter, range, pagesMax),
  ])
  return {
    siteId: filter.siteId,
    at: isoTime(nowMs),
    windowMs: liveWindowMs,
    visitors: Number(row.visitors),
    sessions: Number(row.sessions),
    pageviews: hasPageviews(filter) ? Number(row.pageviews) : null,
    events: Number(row.events),
    pages: pages.map(({ path, visitors }) => ({ path, visitors: Number(visitors) })),
  }
}
