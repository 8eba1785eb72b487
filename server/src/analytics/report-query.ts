import type { Condition, Dimension, ReadQuery } from '@assay/contract'
import { audienceCondition, audienceMemberships } from '../audiences/filter.ts'
import { noGoal } from '../goals/goals.ts'
import type { SiteGoals } from '../goals/site-goals.ts'
import type { Freshness } from '../http/fresh-read.ts'
import type { People } from '../identity/people.ts'
import { traitSet } from '../identity/profiles/trait-sets.ts'
import type { Platform } from '../platform/platform.ts'
import type { Overlays } from '../registry/backfills/overlays.ts'
import type { Superseded } from '../registry/backfills/superseded-sites.ts'
import { layersOf } from '../registry/backfills/superseded-sites.ts'
import type { Rates } from '../sites/exchange-rates.ts'
import { moneyOf } from '../sites/exchange-rates.ts'
import type { RequireSite, SiteRow, Sites } from '../sites/sites.ts'
import type { EventFilter, GoalConditions, PeopleTerms, SqlCondition } from '../store/event-filter.ts'
import { audiencesIn, goalsIn, personDimensionsIn } from '../store/filters/condition-sql.ts'
import type { Money } from '../store/money.ts'
import type { ReadKept } from './kept-rows/kept-rows.ts'
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
  /** Asks rows of events that are kept in memory. */
  readKept: ReadKept
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
  return openFilter(deps, workspaceId, site.id, {
    conditions,
    includeBots: query.includeBots ?? false,
    timezone,
  })
}

type AskedFilter = {
  /** That were found sound. */
  conditions: readonly Condition[]
  includeBots: boolean
  timezone: string
  /** By which the read groups, besides those of its conditions. */
  dimensions?: readonly Dimension[]
}

/** The filter of sound conditions: audiences and traits are looked up, and windows follow the zone. */
export async function openFilter(
  deps: ReadingDeps,
  workspaceId: string,
  siteId: string,
  { conditions, includeBots, timezone, dimensions = [] }: AskedFilter,
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
    people: await peopleTerms(deps, workspaceId, siteId, [...personDimensionsIn(conditions), ...dimensions]),
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

async function peopleTerms(
  deps: ReadingDeps,
  workspaceId: string,
  siteId: string,
  dimensions: readonly Dimension[],
): Promise<PeopleTerms> {
  const traits = dimensions.flatMap((one) => (one.kind === 'trait' ? [one.trait] : []))
  const asksAudiences = dimensions.some(({ kind }) => kind === 'audience')
  return {
    traits: Object.fromEntries(
      [...new Set(traits)].map((trait) => [trait, traitSet(deps.control, workspaceId, trait)]),
    ),
    memberships: asksAudiences ? await audienceMemberships(deps, workspaceId, siteId) : null,
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
