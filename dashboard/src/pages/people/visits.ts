import type { TimelineEvent } from '@assay/contract'

/** Events of one visit on one day, newest first, as all of these lists. */
export type Visit = { key: string; sessionId: string; events: TimelineEvent[] }
type Day = { day: string; visits: Visit[] }

/** A timeline by day and visit. `dayOf` gives the calendar day in the site's time zone. */
export function byDayAndVisit(events: readonly TimelineEvent[], dayOf: (time: string) => string): Day[] {
  const days: Day[] = []
  for (const event of events) {
    const day = dayOf(event.ts)
    let last = days.at(-1)
    if (last?.day !== day) {
      last = { day, visits: [] }
      days.push(last)
    }
    const visit = last.visits.at(-1)
    if (visit !== undefined && visit.sessionId === event.session_id) visit.events.push(event)
    else last.visits.push({ key: event.event_id, sessionId: event.session_id, events: [event] })
  }
  return days
}

/** The path of an address; an address that is none is shown as it is. */
export function pathOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? url : `${parsed.pathname}${parsed.hash.startsWith('#/') ? parsed.hash : ''}`
}
