import type { Overview } from '@assay/contract'
import { countryText } from '../../shares/page/dimension-words.ts'
import {
  changeText,
  durationText,
  isWorse,
  moneyText,
  numberText,
  percentText,
} from '../../shares/page/shown-values.ts'
import { type Block, type Figure, label, numberColumn, textColumn } from './blocks.ts'

type Lists = Overview['breakdowns']

const asItIs = (text: string) => text

const lists: readonly (readonly [keyof Lists, string, (key: string) => string])[] = [
  ['pages', 'Pages', asItIs],
  ['sources', 'Sources', asItIs],
  ['countries', 'Countries', countryText],
]

export function overviewBlocks(overview: Overview, rowsMax: number): Block[] {
  return [
    { type: 'figures', figures: figuresOf(overview) },
    ...lists.flatMap(([key, name, toText]) => listOf(name, overview.breakdowns[key], rowsMax, toText)),
    ...moneyApart(overview),
    ...qualityOf(overview),
  ]
}

function figuresOf({ metrics, previous }: Overview): Figure[] {
  const before = previous.metrics
  const money = (amount: number) => moneyText(amount, metrics.currency)
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
    figure('Conversion rate', [metrics.conversionRate, before.conversionRate], percentText),
    figure('Revenue', [metrics.revenue, before.revenue], money),
  ]
}

function listOf(
  name: string,
  rows: Lists['pages'],
  rowsMax: number,
  toText: (key: string) => string,
): Block[] {
  if (rows.length === 0) return []
  const shown = rows.slice(0, rowsMax)
  const most = Math.max(1, ...shown.map(({ visitors }) => visitors))
  return [
    {
      type: 'rows',
      columns: [textColumn(name), numberColumn('Visitors')],
      rows: shown.map(({ key, visitors }) => [label(toText(key)), numberText(visitors)]),
      shares: shown.map(({ visitors }) => visitors / most),
    },
  ]
}

/** Never added up: there is no rate for them. */
function moneyApart({ otherCurrencies }: Overview): Block[] {
  if (otherCurrencies.length === 0) return []
  const amounts = otherCurrencies.map(({ currency, revenue }) => moneyText(revenue, currency)).join(', ')
  return [{ type: 'words', text: `Revenue without an exchange rate, not counted above: ${amounts}.` }]
}

/** Only where something was quarantined or rejected: a clean week needs no words. */
function qualityOf({ dataQuality: { quarantined, rejected, botEvents } }: Overview): Block[] {
  const said = [
    [quarantined, 'events were quarantined'],
    [rejected, 'were rejected'],
    [botEvents, 'came from bots and are not counted'],
  ] as const
  const parts = said.flatMap(([count, words]) =>
    count === null || count === 0 ? [] : [`${numberText(count)} ${words}`],
  )
  return parts.length === 0 ? [] : [{ type: 'words', text: `Data quality: ${parts.join(', ')}.` }]
}
