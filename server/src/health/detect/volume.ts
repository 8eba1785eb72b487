import { madScale, median } from './statistics.ts'

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

export type Judged = {
  startMs: number
  observed: number
  /** Null while learning. */
  expected: number | null
  score: number
  isAlert: boolean
}

/** Bins that must all be off, to the same side, for a finding that none of them is alone. */
const runBins = 6
/** Before that there are no like hours to compare with, and a site's first evening is no anomaly. */
const quietDays = 3
const weekDays = 7
const dayMs = 86_400_000
const weeksBack = 4
const daysBack = 14
/** A baseline of fewer is chance. */
const likesLeast = 3
/** Two weeks of hours: the width of what is usual. */
const widthBins = 336
const widthBinsLeast = 24
/** Bins between two looks: the width of two weeks hardly moves in six hours, and sorting is the cost. */
const widthRefreshBins = 6
/** Counts below this have no meaningful root of their own. */
const baselineLeast = 0.5
/** The transform of Anscombe, by which counts, also small ones, become nearly normal. */
const anscombe = 3 / 8
/** What stays otherwise for a week is how it is now. */
const newNormalDays = 7

/** Judges bin after bin of one series, each by what came before it. Bins follow each other without gaps. */
export class VolumeDetector {
  readonly #settings: VolumeSettings
  /** What came, with what was far off drawn in, so that next week's normal does not look strange. */
  readonly #values: number[] = []
  readonly #residuals: number[] = []
  #before = 0
  /** Scores of the latest bins that are all off to the same side. */
  #run: number[] = []
  #usualWidth = 1
  #alertBins = 0

  constructor(settings: VolumeSettings) {
    this.#settings = settings
  }

  push(observed: number, startMs: number): Judged {
    const expected = this.#baseline(startMs)
    if (expected === null) {
      this.#values.push(observed)
      return { startMs, observed, expected: null, score: 0, isAlert: false }
    }
    const width = this.#width()
    const centre = Math.sqrt(Math.max(expected, baselineLeast) + anscombe)
    const score = (2 * (Math.sqrt(observed + anscombe) - centre)) / Math.sqrt(width)
    const silence = (2 * (centre - Math.sqrt(anscombe))) / Math.sqrt(width)
    this.#follow(observed, expected, score, silence)
    const isAlert = this.#isAlert(observed, expected, score)
    this.#alertBins = isAlert ? this.#alertBins + 1 : 0
    this.#before = score
    this.#values.push(this.#drawnIn(observed, score, centre, width))
    this.#residuals.push(Math.abs(observed - expected) / Math.sqrt(Math.max(expected, baselineLeast)))
    return { startMs, observed, expected, score, isAlert }
  }

  #isAlert(observed: number, expected: number, score: number): boolean {
    const { scoreAlone, scoreTwice, changeLeast, binsPerDay } = this.#settings
    if (this.#values.length < quietDays * binsPerDay) return false
    if (Math.abs(observed - expected) / Math.max(expected, 1) < changeLeast) return false
    if (Math.abs(score) >= scoreAlone) return true
    const isSameSide = Math.sign(score) === Math.sign(this.#before)
    if (isSameSide && Math.min(Math.abs(score), Math.abs(this.#before)) >= scoreTwice) return true
    return this.#isLongOff(scoreAlone)
  }

  /** What is somewhat off for hours is as sure as what is far off once: scores add up as chance does. */
  #isLongOff(scoreAlone: number): boolean {
    if (this.#run.length < runBins) return false
    const sum = this.#run.slice(-runBins).reduce((total, one) => total + one, 0)
    return Math.abs(sum) / Math.sqrt(runBins) >= scoreAlone
  }

  /** Only of series so small or restless that even silence is not far off; others say at once what they have to. */
  #follow(observed: number, expected: number, score: number, silence: number): void {
    const { changeLeast, scoreAlone } = this.#settings
    const isOff = silence < scoreAlone && Math.abs(observed - expected) / Math.max(expected, 1) >= changeLeast
    const goesOn = isOff && Math.sign(score) === Math.sign(this.#run.at(-1) ?? score)
    this.#run = isOff ? [...(goesOn ? this.#run : []), score].slice(-runBins) : []
  }

  #drawnIn(observed: number, score: number, centre: number, width: number): number {
    const { scoreTwice, binsPerDay } = this.#settings
    const isNewNormal = this.#alertBins > newNormalDays * binsPerDay
    if (Math.abs(score) <= scoreTwice || isNewNormal) return observed
    const root = Math.max(0, centre + (Math.sign(score) * scoreTwice * Math.sqrt(width)) / 2)
    return Math.max(0, root ** 2 - anscombe)
  }

  #width(): number {
    const count = this.#residuals.length
    if (count < widthBinsLeast || count % widthRefreshBins !== 0) return this.#usualWidth
    this.#usualWidth = Math.max(1, (madScale * median(this.#residuals.slice(-widthBins))) ** 2)
    return this.#usualWidth
  }

  /** The same hour of the week; else of days like it; else of any day; else what was last. */
  #baseline(startMs: number): number | null {
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
    for (const choice of choices) {
      const found = choice.filter((value) => value !== undefined)
      if (found.length >= likesLeast) return median(found)
    }
    return median(this.#values.slice(-24))
  }
}

function isWeekend(ms: number): boolean {
  const day = new Date(ms).getUTCDay()
  return day === 0 || day === 6
}

export type Incident = {
  startMs: number
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
    const open = incidents.at(-1)
    if (open !== undefined && index - last < gapBins) {
      open.endMs = one.startMs
      if (Math.abs(one.score) > Math.abs(open.score)) {
        Object.assign(open, { score: one.score, observed: one.observed, expected: one.expected })
      }
    } else {
      const { startMs, observed, expected, score } = one
      incidents.push({ startMs, endMs: startMs, observed, expected, score })
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
