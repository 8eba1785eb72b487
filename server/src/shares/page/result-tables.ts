import type { FlowGraph, FunnelResult, Journeys, Overview, Retention } from '@assay/contract'
import { funnelTable } from '../../analytics/funnels/query.ts'
import { retentionTable } from '../../analytics/retention.ts'
import { flowTable } from '../../analytics/sequences/flow-graph.ts'
import { journeyTable } from '../../analytics/sequences/journeys.ts'
import type { Cell, Table } from '../../http/csv.ts'
import { escapeHtml } from '../../platform/mail-layout.ts'
import type { SharedResult } from '../shared-results.ts'
import { overviewSection } from './overview-section.ts'
import { durationText, numberText, percentText } from './shown-values.ts'

/** An answer as a visitor sees it: the overview as figures, the others as the table of their CSV. */
export function resultHtml({ kind, result }: SharedResult): string {
  switch (kind) {
    case 'overview':
      // boundary: the route of this kind made it; so below.
      return overviewSection(result as Overview)
    case 'funnel':
      // boundary: as above.
      return tableHtml(funnelTable(result as FunnelResult))
    case 'retention':
      // boundary: as above.
      return tableHtml(retentionTable(result as Retention))
    case 'flow':
      // boundary: as above.
      return tableHtml(flowTable(result as FlowGraph))
    case 'journeys':
      // boundary: as above.
      return tableHtml(journeyTable(result as Journeys))
  }
}

/** Names of columns as words, with how their numbers are read. */
const columnsShown: Readonly<Record<string, { name: string; toText?: (value: number) => string }>> = {
  median_time_ms: { name: 'Median time', toText: durationText },
  conversion_rate: { name: 'Conversion rate', toText: percentText },
  share: { name: 'Share', toText: percentText },
  drop_off: { name: 'Left' },
  is_complete: { name: 'Complete' },
}

function tableHtml({ columns, rows }: Table): string {
  const head = columns.map((name, index) => {
    const kind = typeof rows[0]?.[index] === 'number' ? ' class="number"' : ''
    return `<th${kind}>${escapeHtml(columnName(name))}</th>`
  })
  const body = rows
    .map((row) => `<tr>${row.map((cell, index) => cellHtml(cell, columns[index] ?? '')).join('')}</tr>`)
    .join('\n')
  if (rows.length === 0) return '<p>Nothing to show in this period.</p>'
  return `<div class="wide"><table><thead><tr>${head.join('')}</tr></thead><tbody>${body}</tbody></table></div>`
}

function columnName(column: string): string {
  const [first = '', ...rest] = column.replaceAll('_', ' ')
  return columnsShown[column]?.name ?? first.toUpperCase() + rest.join('')
}

function cellHtml(cell: Cell, column: string): string {
  const toText = columnsShown[column]?.toText ?? numberText
  if (typeof cell === 'number') return `<td class="number">${escapeHtml(toText(cell))}</td>`
  if (typeof cell === 'boolean') return `<td>${cell ? 'yes' : 'no'}</td>`
  return `<td>${cell === null ? '–' : escapeHtml(dateText(String(cell)))}</td>`
}

/** A midnight is a day. */
const dateText = (text: string): string => text.replace(/^(\d{4}-\d{2}-\d{2})T00:00:00\.000Z$/, '$1')
