import { changeOf } from '../../format.ts'

/** A moment on the time axis. Every series has one value for each of them. */
export type ChartPoint = {
  start: string
  /** False while its interval still runs; drawn dashed. */
  isComplete?: boolean
  /** The same interval of the compared period. */
  previousStart?: string
}

export type ChartSeries = {
  /** Unique in the chart. */
  id: string
  name: string
  /** Null where there is no such figure. */
  values: readonly (number | null)[]
  /** The compared values, in the same order; drawn as a thin dashed line. */
  previous?: readonly (number | null)[]
  /** Where the series of a chart have different units. */
  format?: (value: number) => string
}

/** A moment or a span that stands out, and in words why. */
export type ChartMark = {
  kind: 'annotation' | 'release' | 'anomaly'
  start: string
  /** A moment without it; null while it lasts. */
  end?: string | null
  words: string
}

export type ChartLook = 'lines' | 'bars' | 'stacked'

export type ChartContent = {
  title: string
  points: readonly ChartPoint[]
  series: readonly ChartSeries[]
  look: ChartLook
  format: (value: number) => string
  /** Below the axis, short. */
  formatStart: (start: string) => string
  /** In the tooltip, in words. */
  describeStart: (start: string) => string
  marks: readonly ChartMark[]
  /** What the compared values are: the previous period, or what is usual. */
  previousName: string
  /** Whether they are drawn too; the tooltip has them in any case. */
  isPreviousDrawn: boolean
}

/** Tokens `--series-1` to `--series-8`; a ninth series looks like the first. */
const colours = 8
export const colourName = (index: number): string => `--series-${(index % colours) + 1}`

/** More lines than that, each with a dashed one, are a tangle. */
export const previousLinesMax = 3

export const hasPrevious = (series: readonly ChartSeries[]): boolean =>
  series.some(({ previous }) => previous?.some((value) => value !== null) === true)

export const secondsOf = (time: string): number => Date.parse(time) / 1_000

/** An unfinished point, or one next to it: the dashed line starts at the last complete one. */
export function touchesUnfinished(points: readonly ChartPoint[], index: number): boolean {
  return [index - 1, index, index + 1].some((at) => points[at]?.isComplete === false)
}

/** Marks of the interval that starts at a point: moments within it, and spans that reach into it. */
export function marksAt(
  marks: readonly ChartMark[],
  points: readonly ChartPoint[],
  index: number,
): readonly ChartMark[] {
  const point = points[index]
  if (point === undefined) return []
  const startMs = Date.parse(point.start)
  const next = points[index + 1]
  const endMs = next === undefined ? startMs + stepMs(points) : Date.parse(next.start)
  return marks.filter((mark) => {
    const fromMs = Date.parse(mark.start)
    if (mark.end === undefined) return fromMs >= startMs && fromMs < endMs
    return fromMs < endMs && (mark.end === null || Date.parse(mark.end) > startMs)
  })
}

/** The length of the last interval is not known from its start; that of the one before is. */
export function stepMs(points: readonly ChartPoint[]): number {
  const [before, last] = points.slice(-2)
  if (before === undefined || last === undefined) return 86_400_000
  return Date.parse(last.start) - Date.parse(before.start)
}

export type TipLine = {
  id: string
  name: string
  colour: string
  value: number | null
  previous: number | null | undefined
  change: number | null
  format: (value: number) => string
}

/** What the tooltip says about one point, most first where there are several series. */
export function tipLines(
  series: readonly ChartSeries[],
  index: number,
  format: (value: number) => string,
  colourOf: (id: string) => string,
): readonly TipLine[] {
  const lines = series.map((one) => {
    const value = one.values[index] ?? null
    const previous = one.previous === undefined ? undefined : (one.previous[index] ?? null)
    return {
      id: one.id,
      name: one.name,
      colour: colourOf(one.id),
      value,
      previous,
      change: changeOf(value, previous ?? null),
      format: one.format ?? format,
    }
  })
  return lines.toSorted((a, b) => (b.value ?? -1) - (a.value ?? -1))
}

/** Values on top of each other, the first series at the bottom. */
export function stackedValues(series: readonly ChartSeries[]): (number | null)[][] {
  const sums: number[] = []
  return series.map(({ values }) =>
    values.map((value, index) => {
      const sum = (sums[index] ?? 0) + (value ?? 0)
      sums[index] = sum
      return sum
    }),
  )
}
