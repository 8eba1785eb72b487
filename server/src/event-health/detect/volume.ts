import { dayMs } from '../../platform/units.ts'
import { countScore, drawnIn, madScale, median } from './statistics.ts'
import { type Stretch, Stretches } from './stretches.ts'

/** How a series of counts is watched. Origin of the numbers: algorithms §3.1, measured on public labelled series. */
export type VolumeSettings = {
  binsPerDay: 24 | 1
  /** One bin this far off is an alert. */
  scoreAlone: number
  /** Two in a row this far off, to the same side, are. */
  scoreTwice: number
  /** And never a change smaller than this part of what was expected. */
  changeLeast: number
  /** Nothing is claimed before so many bins. */
  warmUpBins: number
}

export const hourly: VolumeSettings = {
  binsPerDay: 24,
  scoreAlone: 8,
  scoreTwice: 5,
  changeLeast: 0.5,
  warmUpBins: 12,
}
/** For events that come less than five times an hour. */
export const daily: VolumeSettings = {
  binsPerDay: 1,
  scoreAlone: 5,
  scoreTwice: 3.5,
  changeLeast: 0.3,
  warmUpBins: 21,
}
/** Below this median an hour says too little. */
export const hourlyMedianLeast = 5

/**
 * Sums of hours have no single spikes, so that less is as sure: with the default, 5.2 deviations, which chance makes of
 * one stretch in ten million.
 */
const missingPart = 0.65

/** How hours that are off together are judged, by how hours alone are. */
export function stretchesOf({ scoreAlone, changeLeast }: Pick<VolumeSettings, 'scoreAlone' | 'changeLeast'>) {
  return { scoreMissing: scoreAlone * missingPart, scoreMore: scoreAlone, changeLeast }
}

export type Judged = {
  startMs: number
  observed: number
  /** Null while learning. */
  expected: number | null
  score: number
  isAlert: boolean
  /** The hours up to this one that are off together, where it is they. */
  over?: Stretch
}

/** Before that there are no like hours to compare with, and a site's first evening is no anomaly. */
const quietDays = 3
const weekDays = 7
const weeksBack = 4
const daysBack = 14
/** A baseline of fewer is chance. */
const likesLeast = 3
/** Two weeks of hours: the width of what is usual. */
const widthBins = 336
const widthBinsLeast = 24
/** The place of days that need not be alike, among what a bin is compared with. */
const anyDay = 2
/** Bins between two looks: the width of two weeks hardly moves in six hours, and sorting is the cost. */
const widthRefreshBins = 6
/** Counts below this have no meaningful root of their own. */
const baselineLeast = 0.5
/** What stays otherwise for a week is how it is now. */
const newNormalDays = 7

/** Judges bin after bin of one series, each by what came before it. Bins follow each other without gaps. */
class VolumeDetector {
  readonly #settings: VolumeSettings
  /** What came, with what was far off drawn in, so that next week's normal does not look strange. */
  readonly #values: number[] = []
  readonly #residuals: number[] = []
  #before = 0
  #usualWidth = 1
  #alertBins = 0
  readonly #stretches: Stretches | null

  constructor(settings: VolumeSettings) {
    this.#settings = settings
    this.#stretches = settings.binsPerDay === 24 ? new Stretches(stretchesOf(settings)) : null
  }

  push(observed: number, startMs: number): Judged {
    const baseline = this.#baseline(startMs)
    if (baseline === null) {
      this.#values.push(observed)
      return { startMs, observed, expected: null, score: 0, isAlert: false }
    }
    const { expected, isOfLikes } = baseline
    const width = this.#width()
    const score = countScore(observed, expected, width)
    // A young site's first weekends are unlike its weekdays, for many hours in a row.
    const over = isOfLikes ? (this.#stretches?.push(observed, expected) ?? null) : null
    const isAlone = this.#isAlert(observed, expected, score)
    const isAlert = isAlone || over !== null
    this.#alertBins = isAlert ? this.#alertBins + 1 : 0
    this.#before = score
    this.#values.push(this.#kept(observed, expected, width))
    this.#residuals.push(Math.abs(observed - expected) / Math.sqrt(Math.max(expected, baselineLeast)))
    if (isAlone || over === null) return { startMs, observed, expected, score, isAlert }
    return { startMs, observed, expected, score: over.score, isAlert, over }
  }

  #isAlert(observed: number, expected: number, score: number): boolean {
    const { scoreAlone, scoreTwice, changeLeast, binsPerDay } = this.#settings
    if (this.#values.length < quietDays * binsPerDay) return false
    if (Math.abs(observed - expected) / Math.max(expected, 1) < changeLeast) return false
    if (Math.abs(score) >= scoreAlone) return true
    const isSameSide = Math.sign(score) === Math.sign(this.#before)
    return isSameSide && Math.min(Math.abs(score), Math.abs(this.#before)) >= scoreTwice
  }

  #kept(observed: number, expected: number, width: number): number {
    const { scoreTwice, binsPerDay } = this.#settings
    const isNewNormal = this.#alertBins > newNormalDays * binsPerDay
    return isNewNormal ? observed : drawnIn(observed, expected, scoreTwice, width)
  }

  #width(): number {
    const count = this.#residuals.length
    if (count < widthBinsLeast || count % widthRefreshBins !== 0) return this.#usualWidth
    this.#usualWidth = Math.max(1, (madScale * median(this.#residuals.slice(-widthBins))) ** 2)
    return this.#usualWidth
  }

  /** The same hour of the week; else of days like it; else of any day; else what was last. */
  #baseline(startMs: number): { expected: number; isOfLikes: boolean } | null {
    const { binsPerDay, warmUpBins } = this.#settings
    const count = this.#values.length
    if (count < warmUpBins) return null
    const back = (bins: number) => (count >= bins ? this.#values[count - bins] : undefined)
    const weeks = Array.from({ length: weeksBack }, (_, week) => back((week + 1) * weekDays * binsPerDay))
    const days = Array.from({ length: daysBack }, (_, day) => day + 1)
    const alike = days.filter((day) => isWeekend(startMs - day * dayMs) === isWeekend(startMs))
    const choices = [
      weeks,
      alike.map((day) => back(day * binsPerDay)),
      days.map((day) => back(day * binsPerDay)),
    ]
    for (const [index, choice] of choices.entries()) {
      const found = choice.filter((value) => value !== undefined)
      if (found.length >= likesLeast) return { expected: median(found), isOfLikes: index < anyDay }
    }
    return { expected: median(this.#values.slice(-24)), isOfLikes: false }
  }
}

function isWeekend(ms: number): boolean {
  const day = new Date(ms).getUTCDay()
  return day === 0 || day === 6
}

export type Incident = {
  /** The first bin that detected it. */
  startMs: number
  /** When it started, as far as is known: earlier if several hours detected it together. */
  sinceMs: number
  /** The last bin that was off. */
  endMs: number
  observed: number
  expected: number
  /** Of the bin that was furthest off. */
  score: number
}

/** Alerts that lie closer together than a day, or for daily bins three days, are one incident. */
export function incidentsOf(judged: readonly Judged[], gapBins: number): Incident[] {
  const incidents: Incident[] = []
  let last = Number.NEGATIVE_INFINITY
  for (const [index, one] of judged.entries()) {
    if (!one.isAlert || one.expected === null) continue
    const { startMs, score, over } = one
    const { observed, expected } = over ?? { observed: one.observed, expected: one.expected }
    const open = incidents.at(-1)
    if (open !== undefined && index - last < gapBins) {
      open.endMs = startMs
      if (Math.abs(score) > Math.abs(open.score)) Object.assign(open, { score, observed, expected })
    } else {
      const sinceMs = judged[index - (over?.bins ?? 1) + 1]?.startMs ?? startMs
      incidents.push({ startMs, sinceMs, endMs: startMs, observed, expected, score })
    }
    last = index
  }
  return incidents
}

export const incidentGapBins = { 24: 24, 1: 3 } as const

/** A whole series at once, such as for a simulation on history. */
export function judgeVolume(counts: readonly number[], firstMs: number, settings: VolumeSettings): Judged[] {
  const detector = new VolumeDetector(settings)
  const binMs = dayMs / settings.binsPerDay
  return counts.map((count, index) => detector.push(count, firstMs + index * binMs))
}
