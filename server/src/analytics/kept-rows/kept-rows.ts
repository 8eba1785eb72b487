import type { Clock } from '../../platform/clock.ts'
import type { EventFilter } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import type { ComputeWorker } from '../sequences/compute-worker.ts'
import { ownBytes } from '../sequences/sequences.ts'
import { isTooLarge, keptBytesMax, type RowBounds, rowBounds } from '../tally/row-bounds.ts'
import { selectMerges } from '../tally/row-store.ts'
import type { CountPlace } from './day-count.ts'
import { type FileOptions, SiteFiles } from './files/site-files.ts'
import { keptKey, rowConditions } from './kept-filter.ts'
import type { KeptAnswer, KeptInput, KeptQuestion, KeptRead } from './kept-read.ts'
import { LargeSites } from './large-sites.ts'
import { neededDays } from './needed-days.ts'
import { SiteRecords } from './site-records.ts'
import { forgetAll, forgetSoon, type KeptNeeds, nothingKept, recordOf, writeFile } from './thread-site.ts'
import type { Span } from './updates/part-changes.ts'
import { selectParts } from './updates/part-store.ts'
import { planUpdate, update } from './updates/update.ts'

/** Answers from rows that are kept in memory; null where that cannot be, and the store has to be asked. */
export type ReadKept = <Options, Answer>(
  read: KeptRead<Options, Answer>,
  filter: EventFilter,
  spans: readonly Span[],
  options: Options,
) => Promise<Answer | null>

export type KeptRows = {
  read: ReadKept
  /** Of days of which only sums are kept this is counted, too. Said once, before the first question. */
  countDays: (count: CountPlace) => void
  /** Forgets the rows of a workspace at once, also those that are being read. */
  forget: (workspaceId: string) => Promise<void>
  /** How many files there are of a workspace. */
  countFiles: (workspaceId: string) => Promise<number>
  /** Writes what is in no file yet. */
  save: () => Promise<void>
}

/** With more of them it takes longer to compare parts than to read events. */
const partsMax = 5_000

type KeptOptions = RowBounds & {
  keptMax?: number
  files?: (Pick<FileOptions, 'folder'> & { onFailure: (error: unknown) => void }) | undefined
}

export function createKeptRows(
  platform: { events: Events; now: Clock },
  computeWorker: ComputeWorker,
  { keptMax = keptBytesMax, files: folder, ...bounds }: KeptOptions = rowBounds,
): KeptRows {
  const { events, now } = platform
  const sites = new SiteRecords(keptMax)
  // bounded: by the reports that there are.
  const counts: CountPlace[] = []
  const files =
    folder === undefined ? null : new SiteFiles({ ...folder, counts, bytesMax: keptMax }, computeWorker, now)
  const needs = { events, computeWorker, bounds: { ...bounds, keptMax }, sites, files, counts }
  const large = new LargeSites(now)

  const read: ReadKept = async (kept, filter, spans, options) => {
    const { file, name, isOfVisits, isOfSums } = kept
    const key = events.cluster === null ? keptKey(filter) : null
    const conditions = rowConditions(filter, kept)
    if (key === null || conditions === null) return null
    const needed = neededDays(spans, conditions.length === 0 && isOfSums?.(options) === true)
    if (large.has(key, needed)) return null
    const range = { spans, includeBots: filter.includeBots, conditions }
    const asked = { file, name, isOfVisits, range, needed, options }
    const answer = await sites
      .inTurn(key, async (stop) => {
        const again = () => ask(needs, { key, stop }, filter, asked)
        const first = await again()
        return first !== null && first !== 'too large' && first.isLost ? again() : first
      })
      .catch((error: unknown) => {
        if (!isTooLarge(error)) throw error
        return 'too large' as const
      })
    if (answer === 'too large') large.add(key, needed)
    if (answer === null || answer === 'too large' || answer.isLost) return null
    // boundary: what the thread ran is the value that was given here.
    return answer.answer as never
  }

  const forgetSite = (key: string) => {
    // To read all days of a large site may take longer than a person who is forgotten may wait.
    sites.stop(key)
    return sites.inTurn(key, async () => {
      const isAlive = sites.get(key)?.life === computeWorker.life()
      if (sites.delete(key) && isAlive) await forgetAll(computeWorker, [key])
    })
  }
  const save = async () => {
    try {
      await Promise.all(sites.keys.map((key) => sites.inTurn(key, () => writeFile(needs, key))))
      await files?.tidy()
    } catch (error) {
      folder?.onFailure(error)
    }
  }
  computeWorker.beforeRest(save)
  return {
    read,
    countDays: (count) => void counts.push(count),
    forget: async (workspaceId) => {
      await Promise.all(sites.keysOf(workspaceId).map(forgetSite))
      await files?.drop(workspaceId)
    },
    countFiles: async (workspaceId) => (await files?.count(workspaceId)) ?? 0,
    save,
  }
}

/** Brings what is kept of the site up to date and asks the thread; null where it is not known what has changed. */
async function ask(
  needs: KeptNeeds,
  { key, stop }: { key: string; stop: AbortSignal },
  filter: EventFilter,
  asked: KeptQuestion,
): Promise<KeptAnswer | 'too large' | null> {
  const { events, computeWorker, sites } = needs
  const parts = await selectParts(events, partsMax)
  if (parts === null || stop.aborted) return null
  const site = await recordOf(needs, key)
  const { life } = site
  const planned = await planUpdate(needs, filter, site, parts.events, asked.needed)
  if (planned === null) return 'too large'
  const { days, nowSummed, held } = planned
  // Without a day the numbers of sessions, people and texts begin at 0 again.
  if (held.days.size === 0) forgetSoon(computeWorker, [key])
  const known = held.days.size === 0 ? null : site.merges
  // Until there is an answer, all that is known is how much it was.
  sites.set(key, { ...nothingKept, life, bytes: site.bytes, rowBytes: site.rowBytes })
  const [{ merges, state }] = await Promise.all([
    readMerges(events, filter, asked, known, parts.merges),
    update(needs, { key, stop }, filter, planned),
  ])
  if (stop.aborted) return null
  const answer = await computeWorker.run('kept', { key, merges }, asked)
  if (answer.isLost) return answer
  const { bytes, rowBytes } = answer
  const isInFile = site.isInFile && planned.batches.length === 0 && planned.drop.length === 0
  const kept = { days, summed: nowSummed, parts: parts.events, bytes, rowBytes }
  sites.set(key, { ...kept, life, merges: state, isInFile })
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
