import type { Cell, Table } from '../../http/csv.ts'
import { escapeHtml } from '../../platform/mail/mail-layout.ts'
import { durationText, numberText, percentText } from './shown-values.ts'

type ToText = Readonly<Record<string, (value: number) => string>>

/** Names of columns as words, with how their numbers are read. */
type ColumnShown = { name: string; toText?: (value: number) => string }
const columnsShown: ReadonlyMap<string, ColumnShown> = new Map([
  ['median_time_ms', { name: 'Median time', toText: durationText }],
  ['conversion_rate', { name: 'Conversion rate', toText: percentText }],
  ['share', { name: 'Share', toText: percentText }],
  ['drop_off', { name: 'Left' }],
  ['is_complete', { name: 'Complete' }],
])

/** A table; numbers of a column are written as its name says, or as the caller does. */
export function tableHtml({ columns, rows }: Table, toText: ToText = {}): string {
  const head = columns.map((name, index) => {
    const kind = typeof rows[0]?.[index] === 'number' ? ' class="number"' : ''
    return `<th${kind}>${escapeHtml(columnName(name))}</th>`
  })
  const body = rows
    .map(
      (row) => `<tr>${row.map((cell, index) => cellHtml(cell, columns[index] ?? '', toText)).join('')}</tr>`,
    )
    .join('\n')
  if (rows.length === 0) return '<p>Nothing to show in this period.</p>'
  return `<div class="wide"><table><thead><tr>${head.join('')}</tr></thead><tbody>${body}</tbody></table></div>`
}

function columnName(column: string): string {
  const [first = '', ...rest] = column.replaceAll('_', ' ')
  return columnsShown.get(column)?.name ?? first.toUpperCase() + rest.join('')
}

function cellHtml(cell: Cell, column: string, given: ToText): string {
  const toText = given[column] ?? columnsShown.get(column)?.toText ?? numberText
  if (typeof cell === 'number') return `<td class="number">${escapeHtml(toText(cell))}</td>`
  if (typeof cell === 'boolean') return `<td>${cell ? 'yes' : 'no'}</td>`
  return `<td>${cell === null ? '–' : escapeHtml(dateText(String(cell)))}</td>`
}

/** A midnight is a day. */
const dateText = (text: string): string => text.replace(/^(\d{4}-\d{2}-\d{2})T00:00:00\.000Z$/, '$1')
