import type { SqlAnswer } from '@assay/contract'
import type { ChartPoint, ChartSeries } from '../../kit/chart.tsx'

const dateType = /^(?:Nullable\()?Date(?:32|Time|Time64)?\b/
const numberType = /^(?:Nullable\()?(?:U?Int|Float|Decimal)/
/** More lines or points than a chart shows. */
const seriesMax = 8
const pointsMax = 1_000

export const isNumeric = (type: string): boolean => numberType.test(type)

/** A value of an answer as text; lists and maps as JSON. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** Lines where the first column is a time, each row a later one, and all others are numbers; null otherwise. */
export function chartOf({
  columns,
  rows,
}: SqlAnswer): { points: ChartPoint[]; series: ChartSeries[] } | null {
  const [first, ...others] = columns
  if (first === undefined || others.length === 0 || others.length > seriesMax) return null
  if (!dateType.test(first.type) || !others.every(({ type }) => isNumeric(type))) return null
  if (rows.length < 2 || rows.length > pointsMax) return null
  const starts = rows.map(([value]) => startOf(valueText(value)))
  if (starts.some((start, index) => start === '' || (index > 0 && start <= (starts[index - 1] ?? ''))))
    return null
  return {
    points: starts.map((start) => ({ start })),
    series: others.map(({ name }, index) => ({
      id: String(index),
      name,
      values: rows.map((row) => numberOf(row[index + 1])),
    })),
  }
}

/** As UTC, which is how its axis is written, too. */
function startOf(value: string): string {
  const ms = Date.parse(`${value.replace(' ', 'T')}${value.length <= 10 ? 'T00:00:00' : ''}Z`)
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString()
}
