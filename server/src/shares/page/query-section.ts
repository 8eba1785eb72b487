import type { Answer, MetricUnit, ReportView } from '@assay/contract'
import type { Cell } from '../../http/csv.ts'
import { dimensionText, valueTextOf } from './dimension-words.ts'
import { figureHtml } from './figure.ts'
import { tableHtml } from './html-table.ts'
import { lineChart } from './line-chart.ts'
import { wordsOf } from './metric-words.ts'
import { largestFirst, type SeriesOfTimes, seriesChart } from './series-chart.ts'
import { changeText, durationText, isWorse, moneyText, numberText, percentText } from './shown-values.ts'

/** What a visitor of a shared link sees of a question: its totals, and its rows in the view that was saved with it. */
export function querySection(answer: Answer, view: ReportView | null): string {
  const totals = `<dl class="figures">${totalsHtml(answer)}</dl>`
  if (answer.dimensions.length === 0 || view === 'number') return totals
  return `${totals}\n${view === 'table' ? '' : chartOf(answer, view)}${rowsHtml(answer)}`
}

/** The chart of rows over time: one line, or one for each group. Empty for other rows. */
function chartOf(answer: Answer, view: Exclude<ReportView, 'table' | 'number'> | null): string {
  const times = answer.dimensions.filter((name) => name.startsWith('time:'))
  if (times.length !== 1 || answer.dimensions.length > 2) return ''
  const isPlain = answer.dimensions.length === 1 && (view ?? 'lines') === 'lines'
  return isPlain ? lineOf(answer) : seriesChart(seriesOf(answer), view ?? 'lines')
}

/** The series of the first metric, the largest groups first. */
function seriesOf({ metrics, rows, period, dimensions }: Answer): SeriesOfTimes {
  const name = metrics[0]?.name ?? ''
  const timeAt = dimensions.findIndex((dimension) => dimension.startsWith('time:'))
  const toTime = valueTextOf(dimensions[timeAt] ?? '', period.timezone)
  const times = [...new Set(rows.map((row) => row.dimensions[timeAt] ?? ''))].toSorted()
  const groupAt = dimensions.findIndex((_, index) => index !== timeAt)
  const toText = valueTextOf(dimensions[groupAt] ?? '', period.timezone)
  const keyOf = (row: Answer['rows'][number]) =>
    JSON.stringify([row.isOther, row.dimensions[groupAt] ?? null])
  const series = [...Map.groupBy(rows, keyOf).values()].map((own) => {
    const value = own[0]?.dimensions[groupAt] ?? null
    const named = value === null ? nameless(own[0]?.isOther) : toText(value)
    const group = groupAt === -1 ? wordsOf(name) : named
    const values = new Map(own.map((row) => [row.dimensions[timeAt] ?? '', row.metrics[name] ?? 0]))
    return { group, values: times.map((time) => Math.max(0, values.get(time) ?? 0)) }
  })
  return { name: wordsOf(name), labels: times.map(toTime), series: largestFirst(series) }
}

const nameless = (isOther = false) => (isOther ? 'Other' : 'unknown')

function totalsHtml({ metrics, totals, currency }: Answer): string {
  return metrics
    .map(({ name, unit }) => {
      const [now, then] = [totals.metrics[name] ?? null, totals.comparison?.[name] ?? null]
      const text = now === null ? '–' : textOf(unit, currency)(now)
      const change = { change: changeText(now, then), isWorse: isWorse(now, then, name !== 'bounceRate') }
      return figureHtml({ name: wordsOf(name), text, ...change })
    })
    .join('')
}

function lineOf({ metrics, rows, period, dimensions }: Answer): string {
  const [first] = metrics
  if (first === undefined) return ''
  const toTime = valueTextOf(dimensions[0] ?? '', period.timezone)
  const points = rows.map((row) => ({
    label: toTime(row.dimensions[0] ?? ''),
    value: Math.max(0, row.metrics[first.name] ?? 0),
    isComplete: row.isComplete ?? true,
  }))
  return lineChart(wordsOf(first.name), points)
}

function rowsHtml({ dimensions, metrics, rows, period, currency }: Answer): string {
  const names = metrics.map(({ name }) => name)
  const toTexts = dimensions.map((name) => valueTextOf(name, period.timezone))
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

export function textOf(unit: MetricUnit, currency: string | null): (value: number) => string {
  if (unit === 'money') return (value) => moneyText(value, currency)
  return unit === 'share' ? percentText : unit === 'ms' ? durationText : numberText
}
