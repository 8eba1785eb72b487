import type { Answer } from '@assay/contract'
import { dimensionLabel, valueLabel } from '../../filters/terms.ts'
import type { Interval } from '../../format.ts'
import type { ChartPoint, ChartSeries } from '../../kit/chart.tsx'
import { text } from '../../text.ts'

type Row = Answer['rows'][number]
type Described = Answer['metrics'][number]

/** The name of a metric in words. */
export type LabelOf = (name: string) => string

/** The values of a row in words; the others by their name. */
export function groupWords({ dimensions, isOther }: Row, names: readonly string[]): readonly string[] {
  return names.map((name, index) => {
    if (isOther) return index === 0 ? text.explore.other : ''
    const value = dimensions[index] ?? null
    return value === null || value === '' ? text.explore.notSet : valueLabel(name, value)
  })
}

export const byWords = (names: readonly string[]): string => names.map(dimensionLabel).join(', ')

/** The points of an answer over time. */
export function pointsOf(answer: Answer, interval: Interval): readonly ChartPoint[] {
  const starts = new Map<string, boolean>()
  for (const { dimensions, isComplete } of answer.rows) {
    const start = dimensions[0]
    if (typeof start === 'string') starts.set(start, isComplete !== false)
  }
  const shiftMs =
    answer.comparedPeriod === null
      ? null
      : Date.parse(answer.period.from) - Date.parse(answer.comparedPeriod.from)
  return [...starts].map(([start, isComplete]) => ({
    start,
    isComplete,
    // Months differ in length, so the point of the month before is not so many hours back.
    ...(shiftMs !== null && interval !== 'month' && { previousStart: before(start, shiftMs, interval) }),
  }))
}

/** A day in which clocks change has 23 or 25 hours; noon is on the right day all the same. */
const noonMs = 12 * 3_600_000

function before(start: string, shiftMs: number, interval: Interval): string {
  const asideMs = interval === 'hour' ? 0 : noonMs
  return new Date(Date.parse(start) - shiftMs + asideMs).toISOString()
}

const restKey = 'other'

/** Each group of values, for each metric of one unit, as a line. */
export function seriesOf(
  answer: Pick<Answer, 'dimensions' | 'rows' | 'comparedPeriod'>,
  metrics: readonly Described[],
  labelOf: LabelOf,
): readonly ChartSeries[] {
  const names = answer.dimensions.slice(1)
  const starts = [...new Set(answer.rows.map(({ dimensions }) => dimensions[0]))]
  const groups = new Map<string, Row[]>()
  for (const row of answer.rows) {
    const key = row.isOther ? restKey : JSON.stringify(row.dimensions.slice(1))
    const rows = groups.get(key)
    if (rows === undefined) groups.set(key, [row])
    else rows.push(row)
  }
  // The rest of all groups comes last, however much it is: a stack has it on top.
  const sorted = [...groups].toSorted(([a], [b]) => Number(a === restKey) - Number(b === restKey))
  return metrics.flatMap(({ name }) =>
    sorted.map(([key, rows]) => {
      const first = rows[0]
      const byStart = new Map(rows.map((row) => [row.dimensions[0], row]))
      const group = first === undefined || names.length === 0 ? '' : groupName(first, names)
      const isCompared = answer.comparedPeriod !== null
      return {
        id: `${name} ${key}`,
        name: seriesName(labelOf(name), group, metrics.length),
        values: starts.map((start) => byStart.get(start)?.metrics[name] ?? null),
        ...(isCompared && {
          previous: starts.map((start) => byStart.get(start)?.comparison?.[name] ?? null),
        }),
      }
    }),
  )
}

function groupName(row: Row, names: readonly string[]): string {
  const values = groupWords({ ...row, dimensions: row.dimensions.slice(1) }, names)
  return values.filter((value) => value !== '').join(' · ')
}

function seriesName(metric: string, group: string, count: number): string {
  if (group === '') return metric
  return count === 1 ? group : `${metric} · ${group}`
}

/** Figures of one unit share an axis; others get a chart of their own. */
export function byUnit(metrics: readonly Described[]): readonly (readonly Described[])[] {
  const units = [...new Set(metrics.map(({ unit }) => unit))]
  return units.map((unit) => metrics.filter((metric) => metric.unit === unit))
}
