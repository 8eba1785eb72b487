import type { Metrics, Overview } from '@assay/contract'
import type { Table } from '../http/csv.ts'
import type { SiteRow } from '../sites/sites.ts'
import type { EventFilter } from '../store/event-filter.ts'
import type { Events } from '../store/events.ts'
import { type Interval, intervalStarts, isoTime, type Period, previousPeriod, toPeriod } from './period.ts'
import {
  type BreakdownRow,
  type RevenueRow,
  selectBreakdowns,
  selectQuality,
  selectRevenue,
  selectSeries,
  selectTotals,
  type TotalsRow,
} from './store.ts'

/** Rows of each breakdown. */
const breakdownRowsMax = 20

export async function readOverview(
  events: Events,
  site: SiteRow,
  filter: EventFilter,
  period: Period,
  interval: Exclude<Interval, 'week'>,
): Promise<Overview> {
  const before = previousPeriod(period)
  const starts = intervalStarts(period, interval)
  const both = { current: period, previous: before }
  const [totals, revenue, series, breakdowns, quality] = await Promise.all([
    selectTotals(events, filter, both),
    selectRevenue(events, filter, both, starts),
    selectSeries(events, filter, period, starts),
    selectBreakdowns(events, filter, period, breakdownRowsMax),
    selectQuality(events, filter, period),
  ])
  return {
    siteId: site.id,
    period: toPeriod(period),
    metrics: toMetrics(totals.current, revenue.current, site.currency),
    otherCurrencies: otherCurrencies(revenue.current, site.currency),
    previous: {
      period: toPeriod(before),
      metrics: toMetrics(totals.previous, revenue.previous, site.currency),
    },
    interval,
    series: fillSeries(starts, series, revenue.current, site.currency),
    breakdowns: {
      pages: toBreakdown(breakdowns.pages),
      sources: toBreakdown(breakdowns.sources),
      countries: toBreakdown(breakdowns.countries),
      devices: toBreakdown(breakdowns.devices),
      events: toBreakdown(breakdowns.events),
    },
    dataQuality: {
      warned: Number(quality.warned),
      quarantined: Number(quality.quarantined),
      rejected: Number(quality.rejected),
      botShare: Number(quality.bot_share ?? 0),
    },
  }
}

function toMetrics(totals: TotalsRow, revenue: readonly RevenueRow[], currency: string): Metrics {
  const sessions = Number(totals.sessions)
  const share = (part: string | number) => (sessions === 0 ? 0 : Number(part) / sessions)
  return {
    visitors: Number(totals.visitors),
    sessions,
    pageviews: Number(totals.pageviews),
    events: Number(totals.events),
    bounceRate: share(totals.bounced),
    avgSessionMs: share(totals.duration_ms),
    conversions: Number(totals.conversions),
    conversionRate: share(totals.converted),
    revenue: sumMoney(revenue.filter((row) => row.currency === currency)),
    currency,
  }
}

/** Amounts come as decimal text with four places; adding them as whole ten-thousandths keeps the sum exact. */
function sumMoney(rows: readonly RevenueRow[]): number {
  return rows.reduce((sum, row) => sum + Math.round(Number(row.revenue) * 10_000), 0) / 10_000
}

function otherCurrencies(rows: readonly RevenueRow[], own: string): Overview['otherCurrencies'] {
  const others = [...new Set(rows.map((row) => row.currency))].filter((currency) => currency !== own).sort()
  return others.map((currency) => ({
    currency,
    revenue: sumMoney(rows.filter((row) => row.currency === currency)),
  }))
}

/** Intervals in which nothing happened are points too. */
function fillSeries(
  starts: readonly number[],
  rows: Awaited<ReturnType<typeof selectSeries>>,
  revenue: readonly RevenueRow[],
  currency: string,
): Overview['series'] {
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
      revenue: sumMoney(
        revenue.filter((entry) => entry.currency === currency && Number(entry.bucket) === start),
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

export type OverviewTable = 'series' | keyof Overview['breakdowns']

/** One table of the overview, as a spreadsheet takes it. */
export function overviewTable(overview: Overview, name: OverviewTable): Table {
  if (name !== 'series') {
    const rows = overview.breakdowns[name].map((row) => [row.key, row.visitors, row.sessions, row.events])
    return { columns: ['key', 'visitors', 'sessions', 'events'], rows }
  }
  return {
    columns: ['start', 'visitors', 'sessions', 'pageviews', 'events', 'conversions', 'revenue', 'currency'],
    rows: overview.series.map((point) => [
      point.start,
      point.visitors,
      point.sessions,
      point.pageviews,
      point.events,
      point.conversions,
      point.revenue,
      overview.metrics.currency,
    ]),
  }
}
