import type { Condition } from '@assay/contract'
import type { EventFilter } from '../../store/event-filter.ts'
import { everyLeaf } from '../../store/filters/condition-sql.ts'
import type { KeptRead } from './kept-read.ts'
import { isRowCondition } from './row-condition.ts'

/**
 * What the rows of a site depend on, as a text; null where they depend on more than the stored events of each day:
 * on what lies over the events, or on goals that look at people or at whole visits.
 */
export function keptKey({ workspaceId, siteId, goals = {}, readOverlays }: EventFilter): string | null {
  const { overlay, superseded } = readOverlays
  if (overlay !== null || superseded !== null) return null
  const conditions = Object.values(goals).flat()
  if (!conditions.every((condition) => everyLeaf(condition, isOfEvent))) return null
  return `${workspaceId} ${siteId} ${JSON.stringify(goals)}`
}

/** The conditions of the filter, where the read takes them and rows have what they ask for; else null. */
export function rowConditions(
  { filters }: Pick<EventFilter, 'filters'>,
  { takesFilters }: Pick<KeptRead<unknown, unknown>, 'takesFilters'>,
): readonly Condition[] | null {
  const conditions = filters?.conditions ?? []
  const canAnswer = conditions.length === 0 || (takesFilters && conditions.every(isRowCondition))
  return canAnswer ? conditions : null
}

const ofVisits = ['entryPage', 'exitPage']

function isOfEvent(leaf: Condition): boolean {
  if (leaf.kind !== 'compare' || leaf.dimension.of === 'person') return false
  return leaf.dimension.kind === 'property' || !ofVisits.includes(leaf.dimension.name)
}
