import {
  type Input,
  type listSiteFigures,
  type Made,
  type SiteFigures,
  siteFiguresMax,
} from '@assay/contract'
import type { SiteRow } from '../sites/sites.ts'
import { liveRange } from './live.ts'
import { chooseInterval, intervalStarts, isComplete, isoTime, previousPeriod, toPeriod } from './period.ts'
import { openReading, type ReadingDeps } from './report-query.ts'
import {
  type AskedSite,
  type HeldRow,
  selectSitesHeld,
  selectSitesLive,
  selectSiteVisitors,
  type VisitorsRow,
} from './site-figures-store.ts'

type PeriodAsked = Input<typeof listSiteFigures>['query']

/** Visitors of every site, in three statements for all of them. */
export async function readSiteFigures(
  deps: ReadingDeps,
  workspaceId: string,
  all: readonly SiteRow[],
  query: PeriodAsked,
): Promise<Made<typeof listSiteFigures>> {
  const rows = all.slice(0, siteFiguresMax)
  if (rows.length === 0) return { sites: [], total: 0 }
  const asked = await Promise.all(rows.map((site) => openSite(deps, workspaceId, site, query)))
  const [visitors, live, held] = await Promise.all([
    selectSiteVisitors(deps.events, asked),
    selectSitesLive(deps.events, asked, liveRange(deps.now())),
    selectSitesHeld(deps.events, asked),
  ])
  const visitorsOf = Map.groupBy(visitors, ({ of_site }) => of_site)
  const liveOf = new Map(live.map(({ of_site, visitors: count }) => [of_site, Number(count)]))
  const heldOf = new Map(held.map((row) => [row.of_site, row]))
  const sites = asked.map((one) => ({
    ...figuresOf(one, visitorsOf.get(one.site.id) ?? []),
    liveVisitors: liveOf.get(one.site.id) ?? 0,
    heldShare: shareOfHeld(heldOf.get(one.site.id)),
  }))
  return {
    sites: sites.toSorted((a, b) => b.visitors - a.visitors || (a.name < b.name ? -1 : 1)),
    total: all.length,
  }
}

type OpenSite = AskedSite & { site: SiteRow; interval: 'hour' | 'day' | 'month' }

async function openSite(
  deps: ReadingDeps,
  workspaceId: string,
  site: SiteRow,
  query: PeriodAsked,
): Promise<OpenSite> {
  const { filter, period } = await openReading(deps, workspaceId, { ...query, siteId: site.id })
  const interval = chooseInterval(period, undefined)
  const starts = intervalStarts(period, interval)
  return { site, filter, current: period, previous: previousPeriod(period), starts, interval }
}

function figuresOf(
  { site, current, starts, interval }: OpenSite,
  rows: readonly VisitorsRow[],
): Omit<SiteFigures, 'liveVisitors' | 'heldShare'> {
  const totalOf = (flag: number) =>
    Number(rows.find((row) => Number(row.is_total) === 1 && Number(row.is_current) === flag)?.visitors ?? 0)
  const byStart = new Map(
    rows
      .filter((row) => Number(row.is_total) === 0 && Number(row.is_current) === 1)
      .map((row) => [Number(row.bucket), Number(row.visitors)]),
  )
  return {
    siteId: site.id,
    name: site.name,
    domain: site.domain,
    period: toPeriod(current),
    visitors: totalOf(1),
    previousVisitors: totalOf(0),
    series: starts.map((start) => ({
      start: isoTime(start),
      isComplete: isComplete(start, current, interval),
      visitors: byStart.get(start) ?? 0,
    })),
  }
}

function shareOfHeld(row: HeldRow | undefined): number | null {
  const all = Number(row?.all_events ?? 0)
  return row === undefined || all === 0 ? null : Number(row.held) / all
}
