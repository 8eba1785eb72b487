import { type Condition, invalidParameter } from '@assay/contract'
import type { MatchPeople } from '../identity/people-list/filter.ts'
import { traitSet } from '../identity/profiles/trait-sets.ts'
import type { EventFilter } from '../store/event-filter.ts'
import { everyLeaf } from '../store/filters/condition-sql.ts'
import { personCondition } from '../store/filters/person-condition.ts'
import { boundedRun } from './questions/bounds.ts'
import { openFilter, type ReadingDeps } from './report-query.ts'

/** Finds people by the filters of every read. */
export function createMatching(deps: ReadingDeps): MatchPeople {
  return async ({ workspaceId, siteId, conditions, fromMs, toMs }) => {
    // A window ends with the period, and nothing happens after now.
    const range = { fromMs, toMs: Math.max(fromMs, Math.min(toMs, deps.now() + 1)) }
    const filter =
      siteId === null
        ? ofWorkspace(deps, workspaceId, conditions)
        : await ofSite(deps, workspaceId, siteId, conditions)
    const run = boundedRun(deps.events, deps.now)
    return {
      condition: personCondition(filter, conditions, range),
      events: { query: (sql, params = {}) => run(sql, params) },
    }
  }
}

async function ofSite(
  deps: ReadingDeps,
  workspaceId: string,
  siteId: string,
  conditions: readonly Condition[],
): Promise<EventFilter> {
  const { timezone } = await deps.requireSite(workspaceId, siteId)
  return openFilter(deps, workspaceId, siteId, { conditions, includeBots: false, timezone })
}

/** Traits are the same for all sites. */
function ofWorkspace(
  { control }: ReadingDeps,
  workspaceId: string,
  conditions: readonly Condition[],
): EventFilter {
  const traits = new Set<string>()
  const isTrait = (leaf: Condition) => {
    if (leaf.kind !== 'compare' || leaf.dimension.kind !== 'trait') return false
    traits.add(leaf.dimension.trait)
    return true
  }
  if (!conditions.every((condition) => everyLeaf(condition, isTrait))) {
    throw invalidParameter('site_id', 'is needed for filters about anything but traits')
  }
  return {
    workspaceId,
    siteId: '',
    includeBots: false,
    people: {
      traits: Object.fromEntries([...traits].map((trait) => [trait, traitSet(control, workspaceId, trait)])),
      memberships: null,
    },
    readOverlays: { overlay: null, superseded: null, hasMerges: false },
  }
}
