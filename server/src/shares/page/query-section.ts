import { type Answer, type MetricUnit, metricNames, type ReportView } from '@assay/contract'
import type { Cell } from '../../http/csv.ts'
import { escapeHtml } from '../../platform/mail-layout.ts'
import { dimensionText, valueText } from '../../platform/value-words.ts'
import { tableHtml } from './html-table.ts'
import { lineChart } from './line-chart.ts'
import { largestFirst, type SeriesOfTimes, seriesChart } from './series-chart.ts'
import { durationText, moneyText, numberText, percentText, timeTextOf } from './shown-values.ts'

/** What a visitor of a shared link sees of a question: its totals, and its rows in the view that was saved with it. */
export function querySection(answer: Answer, view: ReportView | null): string {
  const totals = `<dl class="figures">${totalsHtml(answer)}</dl>`
  if (answer.dimensions.length === 0 || view === 'number') return totals
  return `${totals}\n${view === 'table' ? '' : chartOf(answer, view)}${rowsHtml(answer)}`
}

/** Rows over time as a line, or one for each of their groups; other rows have none. */
function chartOf(answer: Answer, view: Exclude<ReportView, 'table' | 'number'> | null): string {
  const times = answer.dimensions.filter((name) => name.startsWith('time:'))
  if (times.length !== 1 || answer.dimensions.length > 2) return ''
  const isPlain = answer.dimensions.length === 1 && (view ?? 'lines') === 'lines'
  return isPlain ? lineOf(answer) : seriesChart(seriesOf(answer), view ?? 'lines')
}

/** Of the first metric; the groups with the most of it come first. */
function seriesOf({ metrics, rows, period, dimensions }: Answer): SeriesOfTimes {
  const name = metrics[0]?.name ?? ''
  const timeAt = dimensions.findIndex((dimension) => dimension.startsWith('time:'))
  const toTime = timeOf(dimensions[timeAt], period.timezone)
  const times = [...new Set(rows.map((row) => row.dimensions[timeAt] ?? ''))].toSorted()
  const groupAt = dimensions.findIndex((_, index) => index !== timeAt)
  const keyOf = (row: Answer['rows'][number]) =>
    JSON.stringify([row.isOther, row.dimensions[groupAt] ?? null])
  const series = [...Map.groupBy(rows, keyOf).values()].map((own) => {
    const value = own[0]?.dimensions[groupAt] ?? null
    const group =
      groupAt === -1
        ? wordsOf(name)
        : value === null
          ? nameless(own[0]?.isOther)
          : valueText(dimensions[groupAt] ?? '', value)
    const values = new Map(own.map((row) => [row.dimensions[timeAt] ?? '', row.metrics[name] ?? 0]))
    return { group, values: times.map((time) => Math.max(0, values.get(time) ?? 0)) }
  })
  return { name: wordsOf(name), labels: times.map(toTime), series: largestFirst(series) }
}

const nameless = (isOther = false) => (isOther ? 'Other' : 'unknown')

function totalsHtml({ metrics, totals, currency }: Answer): string {
  return metrics
    .map(({ name, unit }) => {
      const value = totals.metrics[name] ?? null
      const text = value === null ? '–' : textOf(unit, currency)(value)
      return `<div><dt>${escapeHtml(wordsOf(name))}</dt><dd>${escapeHtml(text)}</dd></div>`
    })
    .join('')
}

function lineOf({ metrics, rows, period, dimensions }: Answer): string {
  const [first] = metrics
  if (first === undefined) return ''
  const toTime = timeOf(dimensions[0], period.timezone)
  const points = rows.map((row) => ({
    label: toTime(row.dimensions[0] ?? ''),
    value: Math.max(0, row.metrics[first.name] ?? 0),
    isComplete: row.isComplete ?? true,
  }))
  return lineChart(wordsOf(first.name), points)
}

function rowsHtml({ dimensions, metrics, rows, period, currency }: Answer): string {
  const names = metrics.map(({ name }) => name)
  const toTexts = dimensions.map((name) =>
    name.startsWith('time:') ? timeOf(name, period.timezone) : (value: string) => valueText(name, value),
  )
  const cells = (row: Answer['rows'][number]): Cell[] => [
    ...row.dimensions.map((value, index) =>
      value === null ? (row.isOther ? 'Other' : null) : (toTexts[index]?.(value) ?? value),
    ),
    ...names.map((name) => row.metrics[name] ?? null),
  ]
  const toText = Object.fromEntries(metrics.map(({ name, unit }) => [wordsOf(name), textOf(unit, currency)]))
  return tableHtml(
    { columns: [...dimensions.map(dimensionText), ...names.map(wordsOf)], rows: rows.map(cells) },
    toText,
  )
}

export function timeOf(dimension: string | undefined, timezone: string): (iso: string) => string {
  const unit = dimension === 'time:hour' ? 'hour' : dimension === 'time:month' ? 'month' : 'day'
  return timeTextOf(unit, timezone)
}

export function textOf(unit: MetricUnit, currency: string | null): (value: number) => string {
  if (unit === 'money') return (value) => moneyText(value, currency)
  return unit === 'share' ? percentText : unit === 'ms' ? durationText : numberText
}

/** Our metrics as words; a name that someone gave stays. */
export function wordsOf(name: string): string {
  if (!metricNames.some((one) => one === name)) return name
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
