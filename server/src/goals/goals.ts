import {
  type Condition,
  type createGoal,
  type Filter,
  type Goal,
  goalLimits,
  type Input,
  invalidParameter,
  Problem,
  readGoalFilters,
  type updateGoal,
} from '@assay/contract'
import type { Clock, NewId } from '../platform/clock.ts'
import { readName } from '../platform/text/name.ts'
import type { Control } from '../store/control.ts'
import { savedLookup } from '../store/saved/saved-lookup.ts'
import { deleteGoalRow, type GoalRow, insertGoal, selectGoal, updateGoalRow } from './store.ts'

type GoalWorld = { control: Control; now: Clock; newId: NewId }

export const {
  missing: noGoal,
  require: requireGoal,
  remove: removeGoal,
} = savedLookup<GoalRow>('goal', 'goal', { one: selectGoal, remove: deleteGoalRow })

export async function addGoal(
  { control, now, newId }: GoalWorld,
  workspaceId: string,
  wanted: Input<typeof createGoal>['body'] & { owner: string },
): Promise<Goal> {
  const { siteId, name, page = null, event, filters = [], owner } = wanted
  if (event === undefined && page === null) throw invalidParameter('event', 'or a page has to be given')
  const at = new Date(now())
  const row: GoalRow = {
    workspace_id: workspaceId,
    id: newId('goal'),
    site_id: siteId,
    name: readName(name),
    event: event ?? '$pageview',
    page,
    filters,
    owner,
    created_at: at,
    updated_at: at,
  }
  conditionsOf(row)
  const { goalsMax } = goalLimits
  const isMade = await control.transaction((sql) => insertGoal(sql, row, goalsMax))
  if (isMade) return toGoal(row)
  throw new Problem('conflict', { detail: `A site has ${goalsMax} goals at most. Delete one first.` })
}

export async function changeGoal(
  { control, now }: Pick<GoalWorld, 'control' | 'now'>,
  workspaceId: string,
  id: string,
  { name, event, page, filters }: Input<typeof updateGoal>['body'],
): Promise<Goal> {
  const row = await requireGoal(control, workspaceId, id)
  const changed: GoalRow = {
    ...row,
    name: name === undefined ? row.name : readName(name),
    event: event ?? row.event,
    page: page === undefined ? row.page : page,
    filters: filters ?? row.filters,
    updated_at: new Date(now()),
  }
  conditionsOf(changed)
  if (!(await updateGoalRow(control, changed))) throw noGoal()
  return toGoal(changed)
}

/** What an event has to fit to reach it, all of it; refuses what is not about single events. */
export function conditionsOf({
  event,
  page,
  filters,
}: Pick<GoalRow, 'event' | 'page' | 'filters'>): Condition[] {
  const own: Filter[] = [
    ['is', 'event', [event]],
    ...(page === null ? [] : [['is', 'page', [page]] as const]),
  ]
  return [...readGoalFilters(own, own.length), ...readGoalFilters(filters, goalLimits.conditionsMax)]
}

export function toGoal(row: GoalRow): Goal {
  return {
    id: row.id,
    siteId: row.site_id,
    name: row.name,
    event: row.event,
    page: row.page,
    filters: row.filters,
    owner: row.owner,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
