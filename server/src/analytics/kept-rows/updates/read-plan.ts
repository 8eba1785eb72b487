import { dayMs } from '../../../platform/units.ts'
import type { RowBounds } from '../../tally/row-bounds.ts'
import type { KeptSize } from '../kept-change.ts'
import type { NeededDays } from '../needed-days.ts'
import { type DaySizes, eventsIn } from './day-store.ts'
import type { Span } from './part-changes.ts'

/** Which days are read, and which of those that are kept give way to them. */
export type ReadPlan = {
  /** Read with one statement each. */
  batches: readonly Span[]
  /** Of the days that are read, those of which only sums are kept. */
  summed: ReadonlySet<number>
  drop: readonly number[]
}

/** What is kept of a site by now. */
export type Held = { days: ReadonlySet<number>; summed: ReadonlySet<number> } & KeptSize

type PlanBounds = RowBounds & { keptMax: number }

/** So many days are read without asking how large they are. */
export const unsizedDaysMax = 2
/** A batch is counted while the next one is read. */
const batchEvents = 250_000
/** About, of each event. */
const rowBytes = 80
const summedBytes = 50

/** The days that are not kept, or of which there are only sums where rows are needed. */
export function missingDays({ days, ofRows }: NeededDays, held: Pick<Held, 'days' | 'summed'>): number[] {
  const needsRows = new Set(ofRows)
  return days.filter((day) => !held.days.has(day) || (needsRows.has(day) && held.summed.has(day)))
}

/** Of a few days sums are kept where sums of others are. */
export function planFew(needed: NeededDays, held: Held): ReadPlan {
  const missing = missingDays(needed, held)
  const summed = held.summed.size > 0 ? without(missing, needed.ofRows) : []
  return { batches: missing.map(spanOf), summed: new Set(summed), drop: [] }
}

/** What is left of what a site took after days of it have changed: their bytes are given back. */
export function leftOf({ days, bytes, rowBytes }: Omit<Held, 'summed'>, left: number): KeptSize {
  const share = days.size === 0 ? 0 : left / days.size
  return { bytes: bytes * share, rowBytes: rowBytes * share }
}

/** Null where the events of the question are too many for the memory. */
export function planReads(
  needed: NeededDays,
  held: Held,
  sizes: DaySizes,
  { rowsMax, bytesMax, keptMax }: PlanBounds,
): ReadPlan | null {
  const missing = missingDays(needed, held)
  const isSummed = eventsIn(sizes, needed.days) > rowsMax
  if (isSummed && eventsIn(sizes, needed.ofRows) > rowsMax) return null
  const summed = isSummed ? without(missing, needed.ofRows) : []
  if (summed.some((day) => eventsIn(sizes, [day]) > rowsMax)) return null
  if (held.bytes + eventsIn(sizes, summed) * summedBytes > keptMax && summed.length > 0) return null
  const isFull = held.rowBytes + eventsIn(sizes, without(missing, summed)) * rowBytes > bytesMax
  const unneeded = isFull ? without(without(held.days, held.summed), needed.days) : []
  return {
    batches: batchesOf(missing, sizes, Math.min(batchEvents, rowsMax)),
    summed: new Set(summed),
    drop: unneeded,
  }
}

const spanOf = (day: number): Span => ({ fromMs: day, toMs: day + dayMs })

function without(days: Iterable<number>, others: Iterable<number>): number[] {
  const left = new Set(others)
  return [...days].filter((day) => !left.has(day))
}

/** Days that follow each other, as long as they are not too many events together. */
function batchesOf(days: readonly number[], sizes: DaySizes, most: number): Span[] {
  const spans: Span[] = []
  let size = 0
  for (const day of days) {
    const last = spans.at(-1)
    const own = eventsIn(sizes, [day])
    if (last?.toMs === day && size + own <= most) {
      last.toMs = day + dayMs
      size += own
    } else {
      spans.push(spanOf(day))
      size = own
    }
  }
  return spans
}
