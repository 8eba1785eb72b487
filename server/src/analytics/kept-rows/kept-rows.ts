import type { Clock } from '../../platform/clock.ts'
import { minuteMs } from '../../platform/units.ts'
import type { EventFilter } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import type { ComputeWorker } from '../sequences/compute-worker.ts'
import { ownBytes } from '../sequences/sequences.ts'
import { isTooLarge, type RowBounds, rowBounds } from '../tally/row-bounds.ts'
import { selectMerges } from '../tally/row-store.ts'
import { noDays, readDays, stillKept } from './kept-days.ts'
import { keptKey, rowConditions } from './kept-filter.ts'
import type { KeptAnswer, KeptInput, KeptQuestion, KeptRead } from './kept-read.ts'
import { daysOf } from './kept-site.ts'
import type { Span } from './part-changes.ts'
import { selectParts } from './part-store.ts'
import { SiteRecords } from './site-records.ts'

/** Answers from rows that are kept in memory; null where that cannot be, and the store has to be asked. */
export type ReadKept = <Options, Answer>(
  read: KeptRead<Options, Answer>,
  filter: EventFilter,
  spans: readonly Span[],
  options: Options,
) => Promise<Answer | null>

type KeptRows = {
  read: ReadKept
  /** Forgets the rows of a workspace at once, also those that are being read. */
  forget: (workspaceId: string) => Promise<void>
}

/** Kept rows of all sites together. */
const keptBytesMax = 160_000_000
/** For how long a site with too many events is not tried again. */
const largeMs = 10 * minuteMs
const largeSitesMax = 1_000
/** With more of them it takes longer to compare parts than to read events. */
const partsMax = 5_000

type KeptNeeds = { events: Events; now: Clock; computeWorker: ComputeWorker; bounds: RowBounds }

export function createKeptRows(
  platform: { events: Events; now: Clock },
  computeWorker: ComputeWorker,
  { keptMax = keptBytesMax, ...bounds }: RowBounds & { keptMax?: number } = rowBounds,
): KeptRows {
  const { events, now } = platform
  const needs = { events, now, computeWorker, bounds }
  const sites = new SiteRecords(keptMax)
  // bounded: by largeSitesMax.
  const large = new Map<string, number>()

  const read: ReadKept = async (kept, filter, spans, options) => {
    const { file, name, isOfVisits } = kept
    const key = events.cluster === null ? keptKey(filter) : null
    const conditions = rowConditions(filter, kept)
    if (key === null || conditions === null || (large.get(key) ?? 0) > now()) return null
    const range = { spans, includeBots: filter.includeBots, conditions }
    const asked = { file, name, isOfVisits, range, options }
    try {
      const answer = await sites.inTurn(key, async () => {
        const first = await ask(needs, sites, key, filter, asked)
        return first?.isLost === true ? ask(needs, sites, key, filter, asked) : first
      })
      if (answer === null || answer.isLost) return null
      // boundary: what the thread ran is the value that was given here.
      return answer.answer as never
    } catch (error) {
      if (!isTooLarge(error)) throw error
      if (large.size >= largeSitesMax) large.clear()
      large.set(key, now() + largeMs)
      return null
    }
  }

  const forgetSite = (key: string) =>
    sites.inTurn(key, async () => {
      const isAlive = sites.get(key)?.life === computeWorker.life()
      if (sites.delete(key) && isAlive) await computeWorker.run('forget', { key }, {})
    })
  return {
    read,
    forget: async (workspaceId) => {
      await Promise.all(sites.keysOf(workspaceId).map(forgetSite))
    },
  }
}

/** Brings what is kept of the site up to date and asks the thread, in one message. */
async function ask(
  { events, computeWorker, bounds }: KeptNeeds,
  sites: SiteRecords,
  key: string,
  filter: EventFilter,
  asked: KeptQuestion,
): Promise<KeptAnswer | null> {
  const parts = await selectParts(events, partsMax)
  if (parts === null) return null
  computeWorker.prepare()
  const gone = sites.makeRoom(key)
  const life = computeWorker.life()
  const before = sites.get(key)
  const site = before?.life === life ? before : undefined
  const { kept, drop } = stillKept(site ?? noDays, parts.events)
  const fresh = await readDays(events, filter, asked.range.spans.flatMap(daysOf), kept, bounds)
  const isUnknown = kept.size === 0
  const known = isUnknown ? null : (site?.merges ?? null)
  const { merges, state } = await readMerges(events, filter, asked, known, parts.merges)
  const days = new Set([...kept, ...fresh.flatMap(({ span }) => daysOf(span))])
  // Until there is an answer, all that is known is how much it may be.
  const freshBytes = fresh.reduce((sum, { rows }) => sum + rows.byteLength, 0)
  sites.set(key, { ...noDays, life, merges: null, bytes: (site?.bytes ?? 0) + freshBytes })
  const forget = isUnknown ? [...gone, key] : gone
  const answer = await computeWorker.run('kept', { key, forget, drop, fresh, merges }, asked)
  if (!answer.isLost) sites.set(key, { life, merges: state, parts: parts.events, days, bytes: answer.bytes })
  return answer
}

/** What the thread needs to know of merges for this question, and the state of them that it then knows. */
async function readMerges(
  events: Events,
  { workspaceId, readOverlays }: EventFilter,
  { isOfVisits }: KeptQuestion,
  known: string | null,
  current: string,
): Promise<{ merges: KeptInput['merges']; state: string | null }> {
  if (isOfVisits) return { merges: 'same', state: known }
  if (!readOverlays.hasMerges) return { merges: null, state: null }
  if (known === current) return { merges: 'same', state: known }
  return { merges: ownBytes(await selectMerges(events, workspaceId)), state: current }
}
