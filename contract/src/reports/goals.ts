import { type Static, Type } from 'typebox'
import { eventNameCharactersMax } from '../maxima.ts'
import { lookupProblems } from '../problems.ts'
import { Filters } from '../questions/filters/filters.ts'
import { route } from '../route.ts'
import { exact, Page, paging, Time } from '../shapes.ts'

export const goalLimits = {
  /** Of a site: each is looked for in every event that conversions are counted of. */
  goalsMax: 50,
  nameCharactersMax: 120,
  pageCharactersMax: 2048,
  /** Conditions of one goal, besides its event and page. */
  conditionsMax: 10,
} as const

const event = Type.String({
  minLength: 1,
  maxLength: eventNameCharactersMax,
  description: 'Name of the event that reaches it; $pageview where only a page is given',
})
const page = Type.Union(
  [Type.String({ minLength: 1, maxLength: goalLimits.pageCharactersMax }), Type.Null()],
  { description: 'Path of the page on which it happens, or a pattern: /thanks, /order/:id. Null: any' },
)
const filters = {
  ...Filters,
  description:
    'What the event has to fit besides, such as [["gte", "property:amount", 50]]: conditions on events only',
}

/** Something that visitors are meant to do. Each event that reaches it is a conversion. */
export const Goal = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  name: Type.String(),
  event,
  page,
  filters,
  owner: Type.String({ description: 'The member or the key that made it' }),
  createdAt: Time,
  updatedAt: Time,
})
export type Goal = Static<typeof Goal>

const base = { plane: 'control', tag: 'Goals' } as const
const reads = { ...base, access: 'read', scope: 'analytics:read', rate: 'apiRead' } as const
const writes = {
  ...base,
  access: 'write',
  scope: 'analytics:write',
  rate: 'apiWrite',
  invalidates: 'reports',
} as const
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
const siteId = Type.String({ maxLength: 64 })
const name = Type.String({
  minLength: 1,
  maxLength: goalLimits.nameCharactersMax,
  description: 'More than spaces',
})

export const listGoals = route({
  ...reads,
  id: 'listGoals',
  method: 'GET',
  path: '/api/v1/goals',
  summary: 'List goals',
  query: Type.Object({ ...paging, siteId: Type.Optional(siteId) }, exact),
  success: { status: 200, body: Page(Goal) },
  problems: lookupProblems,
})

export const createGoal = route({
  ...writes,
  id: 'createGoal',
  method: 'POST',
  path: '/api/v1/goals',
  summary: 'Create a goal',
  description:
    'Events that reach it are conversions from now on, also those of the past. As a metric: ' +
    '{"as": "A", "goal": "goal_…", "math": "people"}; as a filter: ["reached", ["goal_…"]].',
  body: Type.Object(
    {
      siteId,
      name,
      event: Type.Optional(event),
      page: Type.Optional(page),
      filters: Type.Optional(filters),
    },
    exact,
  ),
  success: { status: 201, body: Goal },
  audit: { action: 'goal.created', details: ['siteId', 'event'] },
  problems: [...lookupProblems, 'conflict'],
})

export const getGoal = route({
  ...reads,
  id: 'getGoal',
  method: 'GET',
  path: '/api/v1/goals/:id',
  summary: 'Get a goal',
  params: byId,
  success: { status: 200, body: Goal },
  problems: lookupProblems,
})

export const updateGoal = route({
  ...writes,
  id: 'updateGoal',
  method: 'PATCH',
  path: '/api/v1/goals/:id',
  summary: 'Change a goal',
  params: byId,
  body: Type.Partial(Type.Object({ name, event, page, filters }), { ...exact, minProperties: 1 }),
  success: { status: 200, body: Goal },
  audit: { action: 'goal.updated', details: ['siteId', 'event'] },
  problems: lookupProblems,
})

export const deleteGoal = route({
  ...writes,
  id: 'deleteGoal',
  method: 'DELETE',
  path: '/api/v1/goals/:id',
  summary: 'Delete a goal',
  description: 'Its events are no conversions any more. Questions that name it are refused from then on.',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'goal.deleted' },
  problems: lookupProblems,
})

export const goalRoutes = [listGoals, createGoal, getGoal, updateGoal, deleteGoal] as const
