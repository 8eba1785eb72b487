import { countScore, madScale, median } from './statistics.ts'

/** Hours that are checked together: small deviations add up. */
const lengths = [3, 4, 6, 9, 12, 18, 24] as const
/** A week of stretches before their width is known; before that nothing is claimed. */
const scoresLeast = 168
/** Two weeks: the width of what is usual. */
const widthScores = 336
/** Stretches between two looks at the width, which two weeks hardly move; sorting is the cost. */
const refreshScores = 24

export type StretchSettings = {
  /** So far below what was expected is an alert: what breaks is missing. */
  scoreMissing: number
  /** So far above is; campaigns do that, too, hence more. */
  scoreMore: number
  /** And never a change smaller than this part of what was expected. */
  changeLeast: number
}

/** Some hours together that are off, up to the latest one. */
export type Stretch = { bins: number; observed: number; expected: number; score: number }

type Length = { bins: number; recentBins: number; scores: number[]; width: number }

/** Follows hour after hour, and reports when the latest few deviate together. */
export class Stretches {
  readonly #settings: StretchSettings
  readonly #observed: number[] = [0]
  readonly #expected: number[] = [0]
  readonly #lengths: Length[] = lengths.map((bins) => ({
    bins,
    recentBins: Math.ceil(bins / 3),
    scores: [],
    width: 1,
  }))

  constructor(settings: StretchSettings) {
    this.#settings = settings
  }

  push(observed: number, expected: number): Stretch | null {
    this.#observed.push((this.#observed.at(-1) ?? 0) + observed)
    this.#expected.push((this.#expected.at(-1) ?? 0) + expected)
    let furthest: Stretch | null = null
    for (const length of this.#lengths) {
      const found = this.#judge(length)
      if (found !== null && Math.abs(found.score) > Math.abs(furthest?.score ?? 0)) furthest = found
    }
    return furthest
  }

  #judge(length: Length): Stretch | null {
    const { bins, recentBins, scores } = length
    const counts = this.#sums(bins)
    if (counts === null) return null
    const plain = countScore(counts.observed, counts.expected, 1)
    const score = plain / Math.sqrt(length.width)
    const isKnown = scores.length >= scoresLeast
    scores.push(Math.abs(plain))
    if (scores.length >= scoresLeast && scores.length % refreshScores === 0) {
      length.width = Math.max(1, (madScale * median(scores.slice(-widthScores))) ** 2)
    }
    // What is over is no alert, although the hours that it was in are still among the latest.
    const recent = this.#sums(recentBins)
    if (!isKnown || !this.#isOff(counts, score) || recent === null) return null
    return this.#isChanged(recent, Math.sign(score)) ? { bins, ...counts, score } : null
  }

  #isOff(counts: { observed: number; expected: number }, score: number): boolean {
    const { scoreMissing, scoreMore } = this.#settings
    return (score <= -scoreMissing || score >= scoreMore) && this.#isChanged(counts, Math.sign(score))
  }

  #isChanged({ observed, expected }: { observed: number; expected: number }, side: number): boolean {
    return (side * (observed - expected)) / Math.max(expected, 1) >= this.#settings.changeLeast
  }

  #sums(bins: number): { observed: number; expected: number } | null {
    const end = this.#observed.length - 1
    if (end < bins) return null
    const sum = (sums: readonly number[]) => (sums[end] ?? 0) - (sums[end - bins] ?? 0)
    return { observed: sum(this.#observed), expected: sum(this.#expected) }
  }
}
