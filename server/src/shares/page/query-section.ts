import { type Answer, type MetricUnit, metricNames } from '@assay/contract'
import type { Cell } from '../../http/csv.ts'
import { escapeHtml } from '../../platform/mail-layout.ts'
import { tableHtml } from './html-table.ts'
import { lineChart } from './line-chart.ts'
import { durationText, moneyText, numberText, percentText, timeTextOf } from './shown-values.ts'

/** What a visitor of a shared link sees of a question: its totals, and rows as a line or as a table. */
export function querySection(answer: Answer): string {
  const isOverTime = answer.dimensions.length === 1 && answer.dimensions[0]?.startsWith('time:') === true
  return `<dl class="figures">${totalsHtml(answer)}</dl>
${isOverTime ? lineOf(answer) : ''}${answer.dimensions.length === 0 ? '' : rowsHtml(answer)}`
}

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
    name.startsWith('time:') ? timeOf(name, period.timezone) : String,
  )
  const cells = (row: Answer['rows'][number]): Cell[] => [
    ...row.dimensions.map((value, index) =>
      value === null ? (row.isOther ? 'Other' : null) : (toTexts[index]?.(value) ?? value),
    ),
    ...names.map((name) => row.metrics[name] ?? null),
  ]
  const toText = Object.fromEntries(metrics.map(({ name, unit }) => [wordsOf(name), textOf(unit, currency)]))
  return tableHtml({ columns: [...dimensions, ...names.map(wordsOf)], rows: rows.map(cells) }, toText)
}

function timeOf(dimension: string | undefined, timezone: string): (iso: string) => string {
  const unit = dimension === 'time:hour' ? 'hour' : dimension === 'time:month' ? 'month' : 'day'
  return timeTextOf(unit, timezone)
}

function textOf(unit: MetricUnit, currency: string | null): (value: number) => string {
  if (unit === 'money') return (value) => moneyText(value, currency)
  return unit === 'share' ? percentText : unit === 'ms' ? durationText : numberText
}

/** Our metrics as words; a name that someone gave stays. */
function wordsOf(name: string): string {
  if (!metricNames.some((one) => one === name)) return name
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
