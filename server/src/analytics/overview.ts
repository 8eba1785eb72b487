import {
  type DataQuality,
  type getOverview,
  type Input,
  invalidParameter,
  type Metrics,
  type Overview,
} from '@assay/contract'
import type { Table } from '../http/csv.ts'
import type { SiteRow } from '../sites/sites.ts'
import { type EventFilter, eventNamesOf, isFiltered, isFilteredBesidesNames } from '../store/event-filter.ts'
import type { Events } from '../store/events.ts'
import { currencyOf, exchanged, type Money, rateOf } from '../store/money.ts'
import type { BreakdownRow } from './breakdown-store.ts'
import { type Asking, largeEventsMin, readLarge } from './cache/large-reads.ts'
import type { ReportCache } from './cache/report-cache.ts'
import {
  chooseInterval,
  type Interval,
  intervalStarts,
  isComplete,
  isoTime,
  type Period,
  previousPeriod,
  toPeriod,
  yearBefore,
} from './period.ts'
import { openReading, type ReadingDeps } from './report-query.ts'
import type { FilterQuery } from './shorthands.ts'
import {
  type RevenueRow,
  type SeriesRow,
  selectStored,
  selectVerdicts,
  type TotalsRow,
  type VerdictsRow,
} from './store.ts'
import type { ReadFigures } from './tally/figures.ts'

/** Rows of each breakdown. */
const breakdownRowsMax = 20

export type OverviewQuestion = Omit<Input<typeof getOverview>['query'], 'format' | 'table' | 'filters'> &
  FilterQuery

export async function answerOverview(
  deps: ReadingDeps & { kept: ReportCache; readFigures: ReadFigures },
  workspaceId: string,
  asked: OverviewQuestion,
  asking: Asking,
): Promise<Overview> {
  const reading = await openReading(deps, workspaceId, asked)
  chooseInterval(reading.period, asked.interval)
  return readLarge(deps.kept, { name: 'overview', asked, ...asking }, reading, async () => {
    // A later refresh covers events up to then.
    const { site, filter, money, period } = await openReading(deps, workspaceId, asked)
    const interval = chooseInterval(period, asked.interval)
    const before =
      asked.compare === 'year' ? requireApart(yearBefore(period), period) : previousPeriod(period)
    const value = await readOverview(deps, site, filter, money, period, interval, before)
    const events = value.metrics.events + value.previous.metrics.events
    return { value, isLarge: events >= largeEventsMin }
  })
}

/** Both periods are read together, so no event may be in both. */
function requireApart(before: Period, { fromMs }: Period): Period {
  if (before.toMs <= fromMs) return before
  throw invalidParameter('compare', 'year is for periods of up to a year')
}

export async function readOverview(
  { events, readFigures }: { events: Events; readFigures: ReadFigures },
  site: SiteRow,
  filter: EventFilter,
  money: Money,
  period: Period,
  interval: Exclude<Interval, 'week'>,
  before = previousPeriod(period),
): Promise<Overview> {
  const starts = intervalStarts(period, interval)
  const periods = { current: period, previous: before }
  const asked = { filter, periods, starts, breakdownRows: breakdownRowsMax }
  const [{ totals, revenue, series, breakdowns, stored }, verdicts] = await Promise.all([
    readFigures(asked),
    selectVerdicts(events, filter, period),
  ])
  const counted = stored ?? (await selectStored(events, filter, period))
  return {
    siteId: site.id,
    period: toPeriod(period),
    retainedSince: site.events_removed_before?.toISOString() ?? null,
    metrics: toMetrics(totals.current, revenue.current, money, filter),
    otherCurrencies: otherCurrencies(revenue.current, money),
    convertedCurrencies: convertedCurrencies(revenue.current, money),
    currencies: currenciesIn(revenue.current, money),
    previous: {
      period: toPeriod(before),
      metrics: toMetrics(totals.previous, revenue.previous, money, filter),
    },
    interval,
    series: fillSeries(starts, series, revenue.current, money).map((point, index) => ({
      ...point,
      isComplete: isComplete(starts[index] ?? 0, period, interval),
      pageviews: hasPageviews(filter) ? point.pageviews : null,
    })),
    breakdowns: {
      pages: toBreakdown(breakdowns.pages),
      sources: toBreakdown(breakdowns.sources),
      countries: toBreakdown(breakdowns.countries),
      devices: toBreakdown(breakdowns.devices),
      events: toBreakdown(breakdowns.events),
    },
    dataQuality: toQuality(verdicts, counted, filter),
  }
}

/** A filter for another event leaves no page views to count. */
export function hasPageviews(filter: Pick<EventFilter, 'filters'>): boolean {
  return eventNamesOf(filter)?.includes('$pageview') ?? true
}

function toMetrics(
  totals: TotalsRow,
  revenue: readonly RevenueRow[],
  money: Money,
  filter: EventFilter,
): Metrics {
  const sessions = Number(totals.sessions)
  const share = (part: string | number) => (sessions === 0 ? null : Number(part) / sessions)
  const noSessions = isFiltered(filter) ? 'No session matches the filters.' : 'There are no sessions.'
  return {
    visitors: Number(totals.visitors),
    sessions,
    pageviews: hasPageviews(filter) ? Number(totals.pageviews) : null,
    events: Number(totals.events),
    bounceRate: share(totals.bounced),
    avgSessionMs: share(totals.duration_ms),
    conversions: Number(totals.conversions),
    conversionRate: share(totals.converted),
    revenue: sumIn(revenue, money),
    currency: currencyOf(money),
    reasons: {
      ...(!hasPageviews(filter) && {
        pageviews: `Only ${eventNamesOf(filter)?.join(', ')} events match the filters.`,
      }),
      ...(sessions === 0 && { bounceRate: noSessions, avgSessionMs: noSessions, conversionRate: noSessions }),
    },
  }
}

/** Verdicts are counted by event name only, not by other filters. */
function toQuality(
  row: VerdictsRow,
  { events, bots: botEvents }: { events: number; bots: number },
  filter: EventFilter,
): DataQuality {
  const botShare = events === 0 ? null : botEvents / events
  const noEvents = isFiltered(filter) ? 'No event matches the filters.' : 'There are no events.'
  const shareReason = botShare === null ? { botShare: noEvents } : {}
  if (isFilteredBesidesNames(filter)) {
    const reason = 'Verdicts are counted by event; other filters do not apply to them.'
    const reasons = { warned: reason, quarantined: reason, rejected: reason, ...shareReason }
    return { warned: null, quarantined: null, rejected: null, botShare, botEvents, reasons }
  }
  return {
    warned: Number(row.warned),
    quarantined: Number(row.quarantined),
    rejected: Number(row.rejected),
    botShare,
    botEvents,
    reasons: shareReason,
  }
}

/** Amounts are decimal text with four places; adding them as integers keeps the sum exact. */
function sumMoney(rows: readonly RevenueRow[], rate = 1): number {
  const units = rows.map((row) => Math.round(exchanged(Number(row.revenue), rate) * 10_000))
  return units.reduce((sum, one) => sum + one, 0) / 10_000
}

/** Sum of convertible amounts, in one currency. */
function sumIn(rows: readonly RevenueRow[], money: Money): number {
  const sums = currenciesOf(rows).map((currency) => {
    const rate = rateOf(money, currency)
    return rate === null ? 0 : Math.round(sumMoney(ofCurrency(rows, currency), rate) * 10_000)
  })
  return sums.reduce((sum, one) => sum + one, 0) / 10_000
}

const ofCurrency = (rows: readonly RevenueRow[], currency: string) =>
  rows.filter((row) => row.currency === currency)

function currenciesOf(rows: readonly RevenueRow[]): string[] {
  return [...new Set(rows.map((row) => row.currency))].sort()
}

function currenciesIn(rows: readonly RevenueRow[], money: Money): Overview['currencies'] {
  const seen = currenciesOf(rows).filter((currency) => currency !== '')
  return { seen, withoutRate: seen.filter((currency) => rateOf(money, currency) === null) }
}

function otherCurrencies(rows: readonly RevenueRow[], money: Money): Overview['otherCurrencies'] {
  return currenciesOf(rows)
    .filter((currency) => rateOf(money, currency) === null)
    .map((currency) => ({ currency, revenue: sumMoney(ofCurrency(rows, currency)) }))
}

function convertedCurrencies(rows: readonly RevenueRow[], money: Money): Overview['convertedCurrencies'] {
  return money.rates
    .map((one) => ({ ...one, rows: ofCurrency(rows, one.currency) }))
    .filter((one) => one.rows.length > 0)
    .map(({ currency, rate, rows: own }) => ({
      currency,
      rate,
      amount: sumMoney(own),
      revenue: sumMoney(own, rate),
    }))
}

/** Intervals without events are points too. */
function fillSeries(
  starts: readonly number[],
  rows: readonly SeriesRow[],
  revenue: readonly RevenueRow[],
  money: Money,
) {
  const byStart = new Map(rows.map((row) => [Number(row.bucket), row]))
  return starts.map((start) => {
    const row = byStart.get(start)
    return {
      start: isoTime(start),
      visitors: Number(row?.visitors ?? 0),
      sessions: Number(row?.sessions ?? 0),
      pageviews: Number(row?.pageviews ?? 0),
      events: Number(row?.events ?? 0),
      conversions: Number(row?.conversions ?? 0),
      revenue: sumIn(
        revenue.filter((entry) => Number(entry.bucket) === start),
        money,
      ),
    }
  })
}

function toBreakdown(rows: readonly BreakdownRow[]): Overview['breakdowns']['pages'] {
  return rows.map(({ key, visitors, sessions, events }) => ({
    key,
    visitors: Number(visitors),
    sessions: Number(sessions),
    events: Number(events),
  }))
}

type OverviewTable = 'series' | keyof Overview['breakdowns']

/** One table of the overview, for spreadsheets. */
export function overviewTable(overview: Overview, name: OverviewTable): Table {
  if (name !== 'series') {
    const rows = overview.breakdowns[name].map((row) => [row.key, row.visitors, row.sessions, row.events])
    return { columns: ['key', 'visitors', 'sessions', 'events'], rows }
  }
  return {
    columns: [
      'start',
      'visitors',
      'sessions',
      'pageviews',
      'events',
      'conversions',
      'revenue',
      'currency',
      'is_complete',
    ],
    rows: overview.series.map((point) => [
      point.start,
      point.visitors,
      point.sessions,
      point.pageviews,
      point.events,
      point.conversions,
      point.revenue,
      overview.metrics.currency,
      point.isComplete,
    ]),
  }
}
