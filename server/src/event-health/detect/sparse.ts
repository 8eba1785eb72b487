import { hourMs } from '../../platform/units.ts'
import { drawnIn } from './statistics.ts'
import { Stretches, type StretchSettings } from './stretches.ts'
import type { Judged } from './volume.ts'

const weekHours = 168
const weeksBack = 4
const weeksLeast = 2
/** Adjacent hours of the same weekday: one alone has too few events for a mean. */
const beside = [-1, 0, 1] as const
/** A past hour counts at most as if it had been this far off. */
const scoreMost = 5

/**
 * Combines hours that have too few events each. The expectation is a mean: the median of a few small counts
 * is arbitrary.
 */
export function judgeSparse(counts: readonly number[], firstMs: number, settings: StretchSettings): Judged[] {
  const stretches = new Stretches(settings)
  const values: number[] = []
  return counts.map((observed, hour) => {
    const startMs = firstMs + hour * hourMs
    const expected = meanOfLikes(values)
    values.push(expected === null ? observed : drawnIn(observed, expected, scoreMost, 1))
    if (expected === null) return { startMs, observed, expected, score: 0, isAlert: false }
    const over = stretches.push(observed, expected)
    if (over === null) return { startMs, observed, expected, score: 0, isAlert: false }
    return { startMs, observed, expected, score: over.score, isAlert: true, over }
  })
}

function meanOfLikes(values: readonly number[]): number | null {
  let [sum, found] = [0, 0]
  for (let week = 1; week <= weeksBack; week++) {
    for (const aside of beside) {
      const value = values[values.length - week * weekHours + aside]
      if (value === undefined) continue
      sum += value
      found++
    }
  }
  return found < weeksLeast * beside.length ? null : sum / found
}
