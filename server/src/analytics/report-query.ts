import type { ReadQuery } from '@assay/contract'
import { audienceCondition } from '../audiences/filter.ts'
import type { Freshness } from '../http/fresh-read.ts'
import type { People } from '../identity/people.ts'
import type { Platform } from '../platform/platform.ts'
import type { Overlays } from '../registry/backfills/overlays.ts'
import type { Superseded } from '../registry/backfills/superseded-sites.ts'
import { layersOf } from '../registry/backfills/superseded-sites.ts'
import type { Rates } from '../sites/exchange-rates.ts'
import { moneyOf } from '../sites/exchange-rates.ts'
import type { RequireSite, SiteRow, Sites } from '../sites/sites.ts'
import type { EventFilter } from '../store/event-filter.ts'
import type { Money } from '../store/money.ts'
import { type Period, readPeriod } from './period.ts'

/** The scope of a read: site, period and filter. */
export type Reading = { site: SiteRow; period: Period; filter: EventFilter; money: Money }

/** What every read needs: sites, exchange rates, overlays, and the mapping of people. */
export type ReadingDeps = Pick<Platform, 'control' | 'events' | 'now' | 'newId'> & {
  sites: Sites
  requireSite: RequireSite
  rates: Rates
  overlays: Overlays
  superseded: Superseded
  people: People
  freshness: Freshness
}

/** Every read starts here, so that all of them parse their query alike. */
export async function openReading(
  deps: ReadingDeps,
  workspaceId: string,
  query: ReadQuery,
): Promise<Reading> {
  const site = await deps.requireSite(workspaceId, query.siteId)
  const period = readPeriod(query, site.timezone, deps.now())
  return {
    site,
    period,
    filter: await filterOf(deps, workspaceId, site.id, query),
    money: await moneyOf(deps.rates, workspaceId, site.currency),
  }
}

type FilterQuery = Pick<
  ReadQuery,
  'path' | 'country' | 'device' | 'source' | 'event' | 'audience' | 'includeBots'
>

export async function filterOf(
  deps: ReadingDeps,
  workspaceId: string,
  siteId: string,
  query: FilterQuery,
): Promise<EventFilter> {
  const { people } = deps
  const { audience } = query
  return {
    workspaceId,
    siteId,
    includeBots: query.includeBots ?? false,
    path: query.path,
    country: query.country?.toUpperCase(),
    device: query.device,
    source: query.source,
    event: query.event,
    people: audience === undefined ? undefined : await audienceCondition(deps, workspaceId, siteId, audience),
    readOverlays: {
      ...(await layersOf(deps, workspaceId, siteId)),
      hasMerges: await people.mapping.isUsed(workspaceId),
    },
  }
}
