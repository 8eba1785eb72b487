import type {
  FlowGraph,
  FunnelResult,
  Journeys,
  Overview,
  Retention,
  SharedKind,
  SharedView,
} from '@assay/contract'
import { funnelTable } from '../analytics/funnels/query.ts'
import { overviewTable } from '../analytics/overview.ts'
import { retentionTable } from '../analytics/retention.ts'
import { flowTable } from '../analytics/sequences/flow-graph.ts'
import { journeyTable } from '../analytics/sequences/journeys.ts'
import type { Cell, Table } from '../http/csv.ts'
import { policyHash } from '../http/security-headers.ts'
import { escapeHtml } from '../platform/mail-layout.ts'
import type { SharedResult } from './shared-results.ts'

/** A section of the page: a result, a text, or why there is none. */
export type Section = { title: string } & ({ result: SharedResult } | { text: string })

const light = '--ink:#1c2430;--paper:#fff;--line:#e3e6ea'
const dark = '--ink:#e6e9ef;--paper:#12161d;--line:#2a313c'
const layout = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:var(--ink);background:var(--paper)}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}
caption{text-align:left;font-weight:600;padding:.5rem 0}th,td{text-align:left;padding:.25rem .75rem .25rem 0;
border-bottom:1px solid var(--line);overflow-wrap:anywhere}small{opacity:.7}`

const styles: Readonly<Record<SharedView['theme'], string>> = {
  light: `:root{color-scheme:light;${light}}${layout}`,
  dark: `:root{color-scheme:dark;${dark}}${layout}`,
  system: `:root{color-scheme:light dark;${light}}@media(prefers-color-scheme:dark){:root{${dark}}}${layout}`,
}

export const stylePolicy = (theme: SharedView['theme']) => policyHash(styles[theme])

/** Text and tables: no script runs and nothing is loaded, so it works in any frame. */
export function sharedPage(view: SharedView, sections: readonly Section[]): string {
  const parts = sections.map((section) => `<section>${sectionHtml(section)}</section>`)
  const about = view.description === '' ? '' : `<p>${escapeHtml(view.description)}</p>`
  return page(
    view.theme,
    `${view.name} · ${view.siteName}`,
    `<h1>${escapeHtml(view.name)}</h1><p><small>${escapeHtml(view.siteName)}</small></p>${about}${parts.join('\n')}`,
  )
}

export function plainPage(heading: string, text: string): string {
  return page('system', heading, `<h1>${escapeHtml(heading)}</h1><p>${escapeHtml(text)}</p>`)
}

function page(theme: SharedView['theme'], title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow">
<style>${styles[theme]}</style>
<body>${body}</body></html>`
}

function sectionHtml(section: Section): string {
  const heading = section.title === '' ? '' : `<h2>${escapeHtml(section.title)}</h2>`
  if ('text' in section) return `${heading}<p>${escapeHtml(section.text)}</p>`
  const { kind, result } = section.result
  return heading + tablesOf(kind, result).map(tableHtml).join('\n')
}

type Captioned = { caption: string; table: Table }

/** The same tables as the CSV of each kind. */
export function tablesOf(kind: SharedKind, result: object): Captioned[] {
  switch (kind) {
    case 'overview':
      // boundary: the route of this kind made it; so below.
      return overviewTables(result as Overview)
    case 'funnel':
      // boundary: as above.
      return [{ caption: '', table: funnelTable(result as FunnelResult) }]
    case 'retention':
      // boundary: as above.
      return [{ caption: '', table: retentionTable(result as Retention) }]
    case 'flow':
      // boundary: as above.
      return [{ caption: '', table: flowTable(result as FlowGraph) }]
    case 'journeys':
      // boundary: as above.
      return [{ caption: '', table: journeyTable(result as Journeys) }]
  }
}

function overviewTables(overview: Overview): Captioned[] {
  const { metrics, previous } = overview
  const names = ['visitors', 'sessions', 'pageviews', 'events', 'conversions', 'revenue'] as const
  const rows = names.map((name): Cell[] => [name, metrics[name], previous.metrics[name]])
  const breakdowns = ['pages', 'sources', 'countries', 'devices', 'events'] as const
  return [
    { caption: '', table: { columns: ['', 'period', 'before'], rows } },
    { caption: 'series', table: overviewTable(overview, 'series') },
    ...breakdowns.map((name) => ({ caption: name, table: overviewTable(overview, name) })),
  ]
}

function tableHtml({ caption, table: { columns, rows } }: Captioned): string {
  const head = columns.map((name) => `<th>${escapeHtml(name)}</th>`).join('')
  const body = rows
    .map((row) => `<tr>${row.map((cell) => `<td>${cellHtml(cell)}</td>`).join('')}</tr>`)
    .join('\n')
  const named = caption === '' ? '' : `<caption>${escapeHtml(caption)}</caption>`
  return `<table>${named}<thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`
}

function cellHtml(cell: Cell): string {
  return cell === null
    ? ''
    : escapeHtml(typeof cell === 'number' ? String(Math.round(cell * 1e4) / 1e4) : String(cell))
}
