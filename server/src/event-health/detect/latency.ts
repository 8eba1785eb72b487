import { madScale, median } from './statistics.ts'
import type { Judged } from './volume.ts'

export const latencySettings = {
  /** Five minutes: an hour hides what lasts for ten of them. */
  binMs: 300_000,
  /** A week of bins. */
  windowBins: 2_016,
  /** A day before anything is claimed. */
  warmUpBins: 288,
  scoreLeast: 6,
  ratioLeast: 1.15,
  /** No series is steadier than this, in the logarithm. */
  deviationLeast: 0.02,
} as const

/** Bins between two looks at the window: its median hardly moves within half an hour, and sorting is the cost. */
const refreshBins = 6

/**
 * Judges a series of latencies, one value a bin (the 95th percentile), null where nothing came: how far its logarithm
 * lies from the median of the week before, in robust deviations, to either side.
 */
export function judgeLatency(values: readonly (number | null)[], firstMs: number): Judged[] {
  const { binMs, windowBins, warmUpBins, scoreLeast, ratioLeast, deviationLeast } = latencySettings
  const logs: number[] = []
  let centre = 0
  let deviation: number = deviationLeast
  let age = refreshBins
  return values.map((value, index) => {
    const startMs = firstMs + index * binMs
    if (value === null) return { startMs, observed: 0, expected: null, score: 0, isAlert: false }
    const log = Math.log(Math.max(value, 1))
    if (logs.length < warmUpBins) {
      logs.push(log)
      return { startMs, observed: value, expected: null, score: 0, isAlert: false }
    }
    if (age >= refreshBins) {
      const window = logs.slice(-windowBins)
      centre = median(window)
      deviation = Math.max(deviationLeast, madScale * median(window.map((each) => Math.abs(each - centre))))
      age = 0
    }
    age++
    const score = (log - centre) / deviation
    const isAlert = Math.abs(score) >= scoreLeast && Math.exp(Math.abs(log - centre)) >= ratioLeast
    logs.push(log)
    return { startMs, observed: value, expected: Math.exp(centre), score, isAlert }
  })
}
