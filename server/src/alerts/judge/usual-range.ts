import type { AlertCondition, AlertInterval } from '@assay/contract'
import { drawnIn, madScale, median } from '../../event-health/detect/statistics.ts'
import { daily, hourly } from '../../event-health/detect/volume.ts'
import { dayMs, hourMs } from '../../platform/units.ts'
import { zoned } from '../../sites/calendar.ts'

export type Point = { startMs: number; value: number | null }

/** Intervals in order, and what is needed to judge them. */
export type Series = {
  interval: AlertInterval
  points: readonly (Point & { slot: number })[]
  /** Whole numbers of things, whose smallest changes say nothing. */
  isCount: boolean
  /** When the site began. A zero of before says nothing; any other value does. */
  beginsMs: number
}

type Sensitivity = Extract<AlertCondition, { type: 'unusual' }>['sensitivity']

/**
 * Like intervals that are compared, and the fewest of them that say something. An hour has fewer, as a question answers
 * a thousand intervals.
 */
export const weeksBack = { hour: 4, day: 8, week: 12 } as const satisfies Record<AlertInterval, number>
const likesLeast = { hour: 3, day: 4, week: 6 } as const satisfies Record<AlertInterval, number>
/**
 * Deviations and least change, as event health has them: measured on public labelled series. An hour alone needs more
 * there, where hundreds of series are watched; this one was chosen.
 */
const judgedAs = {
  hour: { deviations: hourly.scoreTwice, changeLeast: hourly.changeLeast },
  day: { deviations: daily.scoreAlone, changeLeast: daily.changeLeast },
  week: { deviations: daily.scoreAlone, changeLeast: daily.changeLeast },
} as const satisfies Record<AlertInterval, unknown>
const scoreParts = { low: 1.4, medium: 1, high: 0.7 } as const satisfies Record<Sensitivity, number>
/** A count that is off by less says nothing, however quiet it was before. */
const countChangeLeast = 5
/** Clocks are changed by an hour; half of one more is no other interval yet. */
const clockChangeMs = 1.5 * hourMs

export function seriesOf(
  points: readonly Point[],
  { timezone, ...rest }: Omit<Series, 'points'> & { timezone: string },
): Series {
  return { ...rest, points: points.map((point) => ({ ...point, slot: slotOf(point, rest, timezone) })) }
}

/** Equal for the same hour of the week, or weekday, by the clocks of the site. */
function slotOf({ startMs }: Point, { interval }: Pick<Series, 'interval'>, timezone: string): number {
  if (interval === 'week') return 0
  const at = zoned(startMs, timezone)
  return at.dayOfWeek * 24 + (interval === 'hour' ? at.hour : 0)
}

/** What came before a time in so many days, and says something. It depends on nothing earlier. */
function windowBefore({ points, beginsMs }: Series, toMs: number, days: number): Series['points'] {
  const fromMs = toMs - days * dayMs - clockChangeMs
  const window = points.filter(({ startMs }) => startMs >= fromMs && startMs < toMs)
  const firstMs = window.find(({ value }) => value !== null && value !== 0)?.startMs ?? toMs
  return window.filter(({ startMs }) => startMs >= Math.min(firstMs, beginsMs))
}

/** Those of the same slot in the weeks before. */
export function sameTimes(series: Series, index: number, weeks: number): Series['points'] {
  const point = series.points[index]
  if (point === undefined) return []
  return windowBefore(series, point.startMs, 7 * weeks).filter(({ slot }) => slot === point.slot)
}

/** The middle of what is usual, and how far below and above it a value still is. */
export function usualRange(
  series: Series,
  index: number,
  sensitivity: Sensitivity,
): { expected: number; below: number; above: number } | null {
  const { interval, isCount } = series
  const likes = valuesOf(sameTimes(series, index, weeksBack[interval]))
  if (likes.length < likesLeast[interval]) return null
  const expected = median(likes)
  const own = madScale * median(likes.map((value) => Math.abs(value - expected)))
  const { deviations, changeLeast } = judgedAs[interval]
  const width = Math.max(own / rootOf(expected, isCount), widthAt(series, index))
  const [low, high] = limitsOf(expected, width ** 2, deviations * scoreParts[sensitivity], isCount)
  const least = Math.max(changeLeast * Math.abs(expected), isCount ? countChangeLeast : 0)
  return { expected, below: Math.max(expected - low, least), above: Math.max(high - expected, least) }
}

/**
 * So many deviations to either side, by the root of the value: there deviations are alike for small and large ones, and
 * also a value that varies much can be too low. What can be below zero has no root.
 */
function limitsOf(expected: number, width: number, deviations: number, isCount: boolean): [number, number] {
  if (isCount) {
    const limit = (extreme: number) => drawnIn(extreme, expected, deviations, width)
    return [limit(0), limit(Number.POSITIVE_INFINITY)]
  }
  const reach = deviations * Math.sqrt(width)
  const root = Math.sqrt(Math.abs(expected))
  if (expected < 0) return [expected - reach * root, expected + reach * root]
  return [Math.max(0, root - reach / 2) ** 2, (root + reach / 2) ** 2]
}

/** By the day: it hardly moves within one, and is most of the work. */
const widths = new WeakMap<Series, Map<number, number>>()

/**
 * Few like intervals may agree by chance, so all of the window say how far values spread from what is usual for them:
 * in proportion to the root of it, as counts do, and for counts never less than chance alone makes them.
 */
function widthAt(series: Series, index: number): number {
  const toMs = Math.floor((series.points[index]?.startMs ?? 0) / dayMs) * dayMs
  const known = widths.get(series)
  // bounded: by the days of one series.
  const ofDays = known ?? new Map<number, number>()
  if (known === undefined) widths.set(series, ofDays)
  const found = ofDays.get(toMs)
  if (found !== undefined) return found
  // A day less, as it ends up to a day earlier, and reaches no further back than the like intervals.
  const window = windowBefore(series, toMs, 7 * weeksBack[series.interval] - 1)
  const width = widthOf(window, series.isCount)
  ofDays.set(toMs, width)
  return width
}

function widthOf(window: Series['points'], isCount: boolean): number {
  const offs = [...Map.groupBy(window, ({ slot }) => slot).values()].flatMap((points) => {
    const values = valuesOf(points)
    if (values.length < 2) return []
    const middle = median(values)
    // The middle of a few lies closer to them than the true one.
    const widened = Math.sqrt(values.length / (values.length - 1))
    return values.map((value) => (widened * Math.abs(value - middle)) / rootOf(middle, isCount))
  })
  return Math.max(madScale * median(offs), isCount ? 1 : 0)
}

/** A count below one has no meaningful root. */
function rootOf(value: number, isCount: boolean): number {
  const size = Math.abs(value)
  return Math.sqrt(isCount ? Math.max(1, size) : size || 1)
}

const valuesOf = (points: readonly Point[]): number[] =>
  points.flatMap(({ value }) => (value === null ? [] : [value]))
