import type { RevenueRow, SeriesRow } from '../store.ts'
import { decimalText } from '../tally/decimal-text.ts'
import { placeOf } from '../tally/intervals.ts'
import { type Crowd, tallyKeys } from './key-rollup.ts'
import type { Part } from './part.ts'
import { quarterMs } from './rollup.ts'

/** The starts of intervals, for a search. */
type Intervals = { starts: readonly number[]; bounds: Float64Array }

export const toIntervals = (starts: readonly number[]): Intervals => ({
  starts,
  bounds: Float64Array.from([...starts, Infinity]),
})

/** Each quarter of an hour is in one interval. */
export function seriesOf(parts: readonly Part[], { starts, bounds }: Intervals, crowd: Crowd): SeriesRow[] {
  const [views, conversions] = [new Int32Array(starts.length), new Int32Array(starts.length)]
  const rollups = parts.map(({ fromMs, rollup: { quarters } }) => {
    const intervalOf = Int32Array.from(quarters.keys, (quarter) =>
      placeOf(bounds, Math.max(fromMs, quarters.startMs + quarter * quarterMs)),
    )
    for (const [index, quarter] of quarters.keys.entries()) {
      const interval = intervalOf[index] ?? 0
      views[interval] = (views[interval] ?? 0) + (quarters.views[quarter] ?? 0)
      conversions[interval] = (conversions[interval] ?? 0) + (quarters.conversions[quarter] ?? 0)
    }
    return { ...quarters, ...ofIntervals(quarters, intervalOf) }
  })
  const tally = tallyKeys(rollups, starts.length, crowd)
  return starts.flatMap((bucket, key) =>
    tally.rows[key] === 0
      ? []
      : [
          {
            bucket,
            visitors: tally.visitors[key] ?? 0,
            sessions: tally.sessions[key] ?? 0,
            pageviews: views[key] ?? 0,
            events: tally.events[key] ?? 0,
            conversions: conversions[key] ?? 0,
          },
        ],
  )
}

function ofIntervals(quarters: Part['rollup']['quarters'], keys: Int32Array) {
  const { people, sessions } = quarters
  return { keys, people: { ...people, keys }, sessions: { ...sessions, keys } }
}

/** Sums of whole ten-thousandths, which may be beyond what a number of JavaScript counts exactly. */
export function revenueOf(
  parts: readonly Part[],
  currencies: readonly string[],
  intervals: Intervals | null,
): RevenueRow[] {
  // bounded: by intervals and currencies.
  const sums = new Map<string, { bucket: number; currency: string; units: bigint }>()
  for (const { chunk } of parts) {
    const { row: rows, units, currency: numbers } = chunk.money
    for (const [index, row] of rows.entries()) {
      const number = numbers[index] ?? 0
      const place = intervals === null ? -1 : placeOf(intervals.bounds, chunk.ms[row] ?? 0)
      const key = `${place} ${number}`
      const sum = sums.get(key) ?? {
        bucket: intervals?.starts[place] ?? 0,
        currency: (currencies[number] ?? '').slice(1),
        units: 0n,
      }
      sum.units += units[index] ?? 0n
      sums.set(key, sum)
    }
  }
  return [...sums.values()].map(({ units, ...sum }) => ({ ...sum, revenue: decimalText(units) }))
}
