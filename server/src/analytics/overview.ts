import type { Metrics, Overview } from '@assay/contract'
import type { SiteRow } from '../sites/sites.ts'
import type { Events } from '../store/events.ts'
import { type Interval, intervalStarts, isoTime, type Period, previousPeriod } from './period.ts'
import {
  type BreakdownRow,
  dimensionNames,
  type EventFilter,
  type RevenueRow,
  selectBotShare,
  selectBreakdown,
  selectRevenue,
  selectSeries,
  selectTotals,
  selectVerdictCounts,
  type TotalsRow,
} from './store.ts'

/** Rows of each breakdown. */
const breakdownRowsMax = 20

export async function readOverview(
  events: Events,
  site: SiteRow,
  filter: EventFilter,
  period: Period,
  interval: Interval,
): Promise<Overview> {
  const before = previousPeriod(period)
  const starts = intervalStarts(period, interval)
  const [totals, revenue, previousTotals, previousRevenue, series, quality, botShare, ...breakdowns] =
    await Promise.all([
      selectTotals(events, filter, period),
      selectRevenue(events, filter, period, starts),
      selectTotals(events, filter, before),
      selectRevenue(events, filter, before, [before.fromMs]),
      selectSeries(events, filter, period, starts),
      selectVerdictCounts(events, filter, period),
      selectBotShare(events, filter, period),
      ...dimensionNames.map((dimension) =>
        selectBreakdown(events, filter, period, dimension, breakdownRowsMax),
      ),
    ])
  const [pages = [], sources = [], countries = [], devices = [], names = []] = breakdowns.map(toBreakdown)
  return {
    siteId: site.id,
    period: toPeriod(period),
    metrics: toMetrics(totals, revenue, site.currency),
    otherCurrencies: otherCurrencies(revenue, site.currency),
    previous: {
      period: toPeriod(before),
      metrics: toMetrics(previousTotals, previousRevenue, site.currency),
    },
    interval,
    series: fillSeries(starts, series, revenue, site.currency),
    breakdowns: { pages, sources, countries, devices, events: names },
    dataQuality: {
      warned: Number(quality.warned),
      quarantined: Number(quality.quarantined),
      rejected: Number(quality.rejected),
      botShare,
    },
  }
}

function toPeriod({ fromMs, toMs, timezone }: Period): Overview['period'] {
  return { from: isoTime(fromMs), to: isoTime(toMs), timezone }
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
