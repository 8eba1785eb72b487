import { type Condition, type Filter, readFilters, wrongMembers } from '@assay/contract'
import { noGoal } from '../goals/goals.ts'
import type { SiteGoals } from '../goals/site-goals.ts'
import { traitSet } from '../identity/profiles/trait-sets.ts'
import { hourMs } from '../platform/units.ts'
import { midnightBefore } from '../sites/calendar.ts'
import type { SiteRow } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import type { EventFilter, SqlCondition, TimeRange } from '../store/event-filter.ts'
import type { ReadOverlays } from '../store/event-source.ts'
import { everyLeaf, goalsIn, personDimensionsIn } from '../store/filters/condition-sql.ts'
import { personCondition } from '../store/filters/person-condition.ts'

type FilterWorld = { control: Control; siteGoals: Pick<SiteGoals, 'of'> }

/** Sound filters of an audience. They are not about audiences, which would have to be counted in an order. */
export function readAudienceFilters(filters: readonly Filter[]): Condition[] {
  const conditions = readFilters(filters)
  const isOther = (leaf: Condition) =>
    leaf.kind !== 'inAudience' && !(leaf.kind === 'compare' && leaf.dimension.kind === 'audience')
  if (conditions.every((condition) => everyLeaf(condition, isOther))) return conditions
  throw wrongMembers([{ field: 'filters', message: 'cannot be about another audience' }])
}

/** Refuses goals that the site does not have now. One that is deleted later is reached by no one. */
export async function requireKnownGoals(
  { siteGoals }: Pick<FilterWorld, 'siteGoals'>,
  site: SiteRow,
  conditions: readonly Condition[],
): Promise<void> {
  const goals = await siteGoals.of(site.workspace_id, site.id)
  const isKnown = (id: string) => goals.some((goal) => goal.id === id)
  if (!goalsIn(conditions).every(isKnown)) throw noGoal()
}

/** A condition on the current `person_key`; null where there are no filters. */
export async function audienceFilter(
  { control, siteGoals }: FilterWorld,
  site: SiteRow,
  conditions: readonly Condition[],
  range: TimeRange,
  readOverlays: ReadOverlays,
): Promise<SqlCondition | null> {
  if (conditions.length === 0) return null
  const { workspace_id: workspaceId, id: siteId, timezone } = site
  const goals = await siteGoals.of(workspaceId, siteId)
  const traits = personDimensionsIn(conditions).flatMap((one) => (one.kind === 'trait' ? [one.trait] : []))
  const filter: EventFilter = {
    workspaceId,
    siteId,
    includeBots: false,
    goals: Object.fromEntries(goals.map((goal) => [goal.id, goal.conditions])),
    people: {
      traits: Object.fromEntries(traits.map((trait) => [trait, traitSet(control, workspaceId, trait)])),
      memberships: null,
    },
    filters: {
      conditions,
      audiences: {},
      windowStart: (window, endMs) => windowStart(window, endMs, timezone),
    },
    readOverlays,
  }
  return personCondition(filter, conditions, range)
}

/** When a window of hours or calendar days began that ends there. */
function windowStart(window: string, endMs: number, timezone: string): number {
  const count = Number.parseInt(window, 10)
  return window.endsWith('h') ? endMs - count * hourMs : midnightBefore(endMs - 1, count - 1, timezone)
}
