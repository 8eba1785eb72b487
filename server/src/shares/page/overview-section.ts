import type { Overview } from '@assay/contract'
import { escapeHtml } from '../../platform/mail/mail-layout.ts'
import { countryText } from './dimension-words.ts'
import { type Figure, figureHtml } from './figure.ts'
import { lineChart } from './line-chart.ts'
import {
  changeText,
  durationText,
  isWorse,
  moneyText,
  numberText,
  percentText,
  timeTextOf,
} from './shown-values.ts'

/** What a visitor of a shared link sees of an overview: figures, a line, and lists. */
export function overviewSection(overview: Overview): string {
  const toTime = timeTextOf(overview.interval, overview.period.timezone)
  const points = overview.series.map(({ start, visitors, isComplete }) => ({
    label: toTime(start),
    value: visitors,
    isComplete,
  }))
  const lists = Object.entries(listNames)
    // boundary: the names of the table are those of the breakdowns.
    .map(([key, name]) => barList(name, overview.breakdowns[key as keyof typeof listNames], textOf(key)))
  return `<dl class="figures">${figuresOf(overview).map(figureHtml).join('')}</dl>
${lineChart('Visitors over time', points)}
<div class="lists">${lists.join('\n')}</div>`
}

const listNames = {
  pages: 'Pages',
  sources: 'Sources',
  countries: 'Countries',
  devices: 'Devices',
  events: 'Events',
} as const

const textOf = (list: string) => (list === 'countries' ? countryText : String)

function figuresOf({ metrics, previous }: Overview): Figure[] {
  const before = previous.metrics
  const figure = (
    name: string,
    [now, then]: readonly [number | null, number | null],
    toText: (value: number) => string,
    isMoreBetter = true,
  ): Figure => ({
    name,
    text: now === null ? '–' : toText(now),
    change: changeText(now, then),
    isWorse: isWorse(now, then, isMoreBetter),
  })
  return [
    figure('Visitors', [metrics.visitors, before.visitors], numberText),
    figure('Sessions', [metrics.sessions, before.sessions], numberText),
    figure('Page views', [metrics.pageviews, before.pageviews], numberText),
    figure('Bounce rate', [metrics.bounceRate, before.bounceRate], percentText, false),
    figure('Session duration', [metrics.avgSessionMs, before.avgSessionMs], durationText),
    figure('Conversions', [metrics.conversions, before.conversions], numberText),
    figure('Revenue', [metrics.revenue, before.revenue], (amount) => moneyText(amount, metrics.currency)),
  ]
}

/** The most common first, each with a bar behind it. A width in a style would need another policy: it is a picture. */
function barList(
  name: string,
  rows: Overview['breakdowns']['pages'],
  toText: (key: string) => string,
): string {
  const most = Math.max(1, ...rows.map(({ visitors }) => visitors))
  const items = rows.map(({ key, visitors }) => {
    const share = Math.round((visitors / most) * 1_000) / 10
    const bar = `<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
<rect width="${share}" height="1"/></svg>`
    const label = escapeHtml(key === '' ? 'unknown' : toText(key))
    return `<tr><td>${bar}<span>${label}</span></td><td>${numberText(visitors)}</td></tr>`
  })
  const body = items.length === 0 ? '<tr><td>Nothing to show</td><td></td></tr>' : items.join('\n')
  const head = `<tr><th>${escapeHtml(name)}</th><th>Visitors</th></tr>`
  return `<table class="ranked"><thead>${head}</thead><tbody>${body}</tbody></table>`
}
