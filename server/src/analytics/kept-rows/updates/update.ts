import type { EventFilter } from '../../../store/event-filter.ts'
import type { Events } from '../../../store/events.ts'
import type { ComputeWorker } from '../../sequences/compute-worker.ts'
import { ownBytes } from '../../sequences/sequences.ts'
import type { RowBounds } from '../../tally/row-bounds.ts'
import { selectRows } from '../../tally/row-store.ts'
import type { CountPlace } from '../day-count.ts'
import type { KeptSize } from '../kept-change.ts'
import type { NeededDays } from '../needed-days.ts'
import { selectDaySizes } from './day-store.ts'
import { type KeptDays, stillKept } from './kept-days.ts'
import type { Part } from './part-changes.ts'
import {
  type Held,
  leftOf,
  missingDays,
  planFew,
  planReads,
  type ReadPlan,
  unsizedDaysMax,
} from './read-plan.ts'

type UpdateNeeds = {
  events: Events
  computeWorker: ComputeWorker
  bounds: RowBounds & { keptMax: number }
  counts: readonly CountPlace[]
}

/** What has to be done before a question can be answered, and the days that are kept then. */
type Update = ReadPlan & { held: Held; days: ReadonlySet<number>; nowSummed: ReadonlySet<number> }

/** Null where the events of the question are too many for the memory. */
export async function planUpdate(
  { events, bounds }: UpdateNeeds,
  filter: EventFilter,
  site: KeptDays & KeptSize,
  parts: readonly Part[],
  needed: NeededDays,
): Promise<Update | null> {
  const { drop, ...kept } = await stillKept(events, filter, site, parts)
  const held = { ...kept, ...leftOf(site, kept.days.size) }
  const missing = missingDays(needed, held)
  const isFew = missing.length <= unsizedDaysMax && held.rowBytes <= bounds.bytesMax
  const plan = isFew
    ? planFew(needed, held)
    : planReads(needed, held, await selectDaySizes(events, filter, needed.days), bounds)
  if (plan === null) return null
  const days = new Set([...held.days, ...missing])
  const nowSummed = new Set([...held.summed, ...plan.summed])
  for (const day of plan.drop) days.delete(day)
  for (const day of missing) if (!plan.summed.has(day)) nowSummed.delete(day)
  return { ...plan, drop: [...drop, ...plan.drop], held, days, nowSummed }
}

/** Reads what is missing, until it is stopped; a batch is counted in the thread while the next one is read. */
export async function update(
  { events, computeWorker, bounds, counts }: UpdateNeeds,
  { key, stop }: { key: string; stop: AbortSignal },
  { filters: _, ...filter }: EventFilter,
  { batches, summed, drop }: Pick<Update, 'batches' | 'summed' | 'drop'>,
): Promise<void> {
  const whole = { ...filter, includeBots: true }
  const change = (raw: {
    drop: readonly number[]
    fresh: Parameters<typeof computeWorker.run<'change'>>[1]['fresh']
  }) => computeWorker.run('change', { key, ...raw }, {})
  if (drop.length > 0) await change({ drop, fresh: null })
  let counting: Promise<unknown> = Promise.resolve()
  for (const span of batches) {
    if (stop.aborted) break
    const rows = await selectRows(events, whole, span, bounds)
    await counting
    counting = change({ drop: [], fresh: { span, rows: ownBytes(rows), summed, counts: [...counts] } })
    // It is awaited below; until then the next batch may fail first.
    counting.catch(() => {})
  }
  await counting
}
