import { type Outcome, type RecentEvent, recentEventHours, recentEventsMax } from '@assay/contract'
import { hourMs } from '../../platform/units.ts'
import type { ItemResult } from '../item-result.ts'
import type { Judged, Sender } from '../validation.ts'
import { createEventRings, type Ring } from './event-rings.ts'
import { noteOf, toRecent } from './noted-event.ts'

/** The latest events, in memory: rejected events are stored nowhere else, and are not needed for long. */
export type RecentEvents = {
  note: (
    judged: readonly Judged[],
    results: readonly ItemResult[],
    sender: Sender,
    receivedMs: number,
  ) => void
  read: (siteId: string, asked: Asked) => RecentPage
  /** Evicts everything of a workspace. */
  forget: (workspaceId: string) => void
  /** Evicts everything, after a request to evict may have been missed. */
  forgetAll: () => void
  /** Evicts what is too old. */
  forgetOld: (nowMs: number) => void
}
type RecentPage = { data: RecentEvent[]; cursor: string }
type Asked = {
  after: string | undefined
  outcome: Outcome | undefined
  /** The caller may read who someone is. */
  seesPeople: boolean
  nowMs: number
}

/** The visitors of a quiet site are not shown for days. */
const ageMsMax = recentEventHours * hourMs

/** `run` distinguishes the positions of this process from those of others. */
export function createRecentEvents(run: string): RecentEvents {
  const rings = createEventRings()
  let place = 0
  // Counted up when something is forgotten: a page that watches then starts again, without it.
  let epoch = 0
  const stream = () => `${run}-${epoch}`

  return {
    note(judged, results, { workspaceId, endpoint }, receivedMs) {
      // Only the last events of a large batch can still be there afterwards.
      const first = Math.max(0, judged.length - recentEventsMax)
      let last: { siteId: string; ring: Ring } | null = null
      for (let index = first; index < judged.length; index += 1) {
        const [one, result] = [judged[index], results[index]]
        // An alias is not an event.
        if (one === undefined || result === undefined || one.alias !== undefined) continue
        const siteId = one.site.id
        if (last === null || last.siteId !== siteId) last = { siteId, ring: rings.open(workspaceId, siteId) }
        rings.add(last.ring, noteOf(one, result, { place: ++place, receivedMs, endpoint }))
      }
    },
    read(siteId, { after, outcome, seesPeople, nowMs }) {
      const since = placeIn(after, stream())
      const found = rings
        .read(siteId)
        .filter(
          (one) =>
            one.place > since &&
            one.receivedMs >= nowMs - ageMsMax &&
            (outcome === undefined || one.result.outcome === outcome),
        )
      const data = found.map((one) => toRecent(one, run, seesPeople)).reverse()
      return { data, cursor: `${stream()}.${place}` }
    },
    forget(workspaceId) {
      epoch += 1
      rings.forget(workspaceId)
    },
    forgetAll() {
      epoch += 1
      rings.forgetAll()
    },
    forgetOld: (nowMs) => rings.forgetBefore(nowMs - ageMsMax),
  }
}

/** A position from another node, or an earlier start, is ignored. */
function placeIn(after: string | undefined, stream: string): number {
  const [known, place] = (after ?? '').split('.')
  return known === stream && /^\d{1,15}$/.test(place ?? '') ? Number(place) : 0
}
