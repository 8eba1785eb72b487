import type { Clock } from '../../platform/clock.ts'
import { minuteMs } from '../../platform/units.ts'
import type { EventFilter } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import type { ComputeWorker } from '../sequences/compute-worker.ts'
import { ownBytes } from '../sequences/sequences.ts'
import { isTooLarge, type RowBounds, rowBounds, selectMerges } from '../tally/row-store.ts'
import { type HeldDays, noDays, readDays, stillHeld } from './held-days.ts'
import { keptKey } from './kept-filter.ts'
import {
  type KeptAnswer,
  type KeptInput,
  type KeptQuestion,
  type KeptRead,
  type KeptReads,
  ofVisitsAlone,
} from './kept-reads.ts'
import { daysOf } from './kept-site.ts'
import type { Span } from './part-changes.ts'
import { selectParts } from './part-store.ts'

/** Answers from rows that are kept in memory; null where that cannot be, and the store has to be asked. */
export type ReadKept = <Name extends KeptRead>(
  name: Name,
  filter: EventFilter,
  spans: readonly Span[],
  options: KeptReads[Name]['options'],
) => Promise<KeptReads[Name]['answer'] | null>

export type KeptRows = {
  read: ReadKept
  /** Forgets the rows of a workspace at once, also those that are being read. */
  forget: (workspaceId: string) => Promise<void>
}

/** What the thread keeps of a site. */
type Site = HeldDays & { life: number; merges: string | null; bytes: number }

/** Kept rows of all sites together. */
export const keptBytesMax = 160_000_000
/** For how long a site with too many events is not tried again. */
const largeMs = 10 * minuteMs
const largeSitesMax = 1_000
/** With more of them it takes longer to compare parts than to read events. */
const partsMax = 5_000

export function createKeptRows(
  { events, now }: { events: Events; now: Clock },
  computeWorker: ComputeWorker,
  { keptMax = keptBytesMax, ...bounds }: RowBounds & { keptMax?: number } = rowBounds,
): KeptRows {
  // bounded: by keptMax; the least recently asked first.
  const sites = new Map<string, Site>()
  // bounded: by the requests that are being answered.
  const turns = new Map<string, Promise<unknown>>()
  // bounded: by largeSitesMax.
  const large = new Map<string, number>()

  /** One question about a site after the other: each begins with what the last one left. */
  function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (turns.get(key) ?? Promise.resolve()).then(work, work)
    turns.set(key, turn)
    return turn.finally(() => {
      if (turns.get(key) === turn) turns.delete(key)
    })
  }

  /** Takes the least recently asked away while all are too large together; the asked one last of all. */
  function makeRoom(key: string): string[] {
    const gone: string[] = []
    let total = [...sites.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    for (const one of [...sites.keys()].filter((other) => other !== key).concat(key)) {
      if (total <= keptMax) break
      total -= sites.get(one)?.bytes ?? 0
      if (sites.delete(one)) gone.push(one)
    }
    return gone
  }

  /** What the thread needs to know of merges for this question, and the state of them that it then knows. */
  async function readMerges(
    { workspaceId, readOverlays }: EventFilter,
    { name }: KeptQuestion,
    known: string | null,
    current: string,
  ): Promise<{ merges: KeptInput['merges']; state: string | null }> {
    if (ofVisitsAlone.includes(name)) return { merges: 'same', state: known }
    if (!readOverlays.hasMerges) return { merges: null, state: null }
    if (known === current) return { merges: 'same', state: known }
    return { merges: ownBytes(await selectMerges(events, workspaceId)), state: current }
  }

  async function ask(key: string, filter: EventFilter, asked: KeptQuestion): Promise<KeptAnswer | null> {
    const parts = await selectParts(events, partsMax)
    if (parts === null) return null
    const gone = makeRoom(key)
    const life = computeWorker.life()
    const before = sites.get(key)
    const site = before?.life === life ? before : undefined
    const { held, drop } = stillHeld(site ?? noDays, parts.events)
    const isUnknown = held.size === 0
    const fresh = await readDays(events, filter, asked.range.spans.flatMap(daysOf), held, bounds)
    const known = isUnknown ? null : (site?.merges ?? null)
    const { merges, state } = await readMerges(filter, asked, known, parts.merges)
    const raw = { key, forget: isUnknown ? [...gone, key] : gone, drop, fresh, merges }
    const days = new Set([...held, ...fresh.flatMap(({ span }) => daysOf(span))])
    // Until there is an answer, all that is known is how much it may be. It is now the most recently asked.
    const freshBytes = fresh.reduce((sum, { rows }) => sum + rows.byteLength, 0)
    sites.delete(key)
    sites.set(key, { ...noDays, life, merges: null, bytes: (site?.bytes ?? 0) + freshBytes })
    const answer = await computeWorker.run('kept', raw, asked)
    if (!answer.isLost)
      sites.set(key, { life, merges: state, parts: parts.events, days, bytes: answer.bytes })
    return answer
  }

  const read: ReadKept = async (name, filter, spans, options) => {
    const key = events.cluster === null ? keptKey(filter) : null
    if (key === null || (large.get(key) ?? 0) > now()) return null
    // boundary: name and options belong together, which the signature ensures.
    const asked = { name, range: { spans, includeBots: filter.includeBots }, options } as KeptQuestion
    try {
      const answer = await inTurn(key, async () => {
        const first = await ask(key, filter, asked)
        return first?.isLost === true ? ask(key, filter, asked) : first
      })
      if (answer === null || answer.isLost) return null
      // boundary: the answer to a name is in the same table.
      return answer.answer as never
    } catch (error) {
      if (!isTooLarge(error)) throw error
      if (large.size >= largeSitesMax) large.clear()
      large.set(key, now() + largeMs)
      return null
    }
  }

  async function forget(workspaceId: string): Promise<void> {
    const isTheirs = (key: string) => key.startsWith(`${workspaceId} `)
    const keys = [...new Set([...sites.keys(), ...turns.keys()])].filter(isTheirs)
    await Promise.all(
      keys.map((key) =>
        inTurn(key, async () => {
          const isAlive = sites.get(key)?.life === computeWorker.life()
          if (sites.delete(key) && isAlive) await computeWorker.run('forget', { key }, {})
        }),
      ),
    )
  }
  return { read, forget }
}
