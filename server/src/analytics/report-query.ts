import type { Condition, ReadQuery } from '@assay/contract'
import { audienceCondition } from '../audiences/filter.ts'
import { noGoal } from '../goals/goals.ts'
import type { SiteGoals } from '../goals/site-goals.ts'
import type { Freshness } from '../http/fresh-read.ts'
import type { People } from '../identity/people.ts'
import type { Platform } from '../platform/platform.ts'
import type { Overlays } from '../registry/backfills/overlays.ts'
import type { Superseded } from '../registry/backfills/superseded-sites.ts'
import { layersOf } from '../registry/backfills/superseded-sites.ts'
import type { Rates } from '../sites/exchange-rates.ts'
import { moneyOf } from '../sites/exchange-rates.ts'
import type { RequireSite, SiteRow, Sites } from '../sites/sites.ts'
import type { EventFilter, GoalConditions, SqlCondition } from '../store/event-filter.ts'
import { audiencesIn, goalsIn } from '../store/filters/condition-sql.ts'
import type { Money } from '../store/money.ts'
import { type Period, readPeriod, windowStart } from './period.ts'
import { type FilterQuery, shorthandsOf } from './shorthands.ts'

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
  siteGoals: Pick<SiteGoals, 'of'>
  freshness: Freshness
}

/** Every read starts here, so that all of them parse their query alike. */
export async function openReading(
  deps: ReadingDeps,
  workspaceId: string,
  query: Omit<ReadQuery, 'filters'> & FilterQuery,
): Promise<Reading> {
  const site = await deps.requireSite(workspaceId, query.siteId)
  const period = readPeriod(query, site.timezone, deps.now())
  return {
    site,
    period,
    filter: await filterOf(deps, workspaceId, site, query, period.timezone),
    money: await moneyOf(deps.rates, workspaceId, site.currency),
  }
}

export async function filterOf(
  deps: ReadingDeps,
  workspaceId: string,
  site: Pick<SiteRow, 'id' | 'timezone'>,
  query: FilterQuery,
  timezone = site.timezone,
): Promise<EventFilter> {
  const conditions = shorthandsOf(query)
  return openFilter(deps, workspaceId, site.id, conditions, query.includeBots ?? false, timezone)
}

/** The filter of sound conditions: audiences are looked up, and windows follow the zone. */
export async function openFilter(
  deps: ReadingDeps,
  workspaceId: string,
  siteId: string,
  conditions: readonly Condition[],
  includeBots: boolean,
  timezone: string,
): Promise<EventFilter> {
  const audiences: Record<string, SqlCondition> = {}
  for (const id of audiencesIn(conditions)) {
    audiences[id] = await audienceCondition(deps, workspaceId, siteId, id)
  }
  const goals = await goalsOf(deps, workspaceId, siteId)
  for (const id of goalsIn(conditions)) if (!Object.hasOwn(goals, id)) throw noGoal()
  return {
    workspaceId,
    siteId,
    includeBots,
    goals,
    ...(conditions.length > 0 && {
      filters: {
        conditions,
        audiences,
        windowStart: (window: string, endMs: number) => windowStart(window, endMs, timezone),
      },
    }),
    readOverlays: {
      ...(await layersOf(deps, workspaceId, siteId)),
      hasMerges: await deps.people.mapping.isUsed(workspaceId),
    },
  }
}

async function goalsOf(
  { siteGoals }: ReadingDeps,
  workspaceId: string,
  siteId: string,
): Promise<GoalConditions> {
  const goals = await siteGoals.of(workspaceId, siteId)
  return Object.fromEntries(goals.map(({ id, conditions }) => [id, conditions]))
}
