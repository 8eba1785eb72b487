import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { filterQuery, Period, periodQuery } from '../../reads.ts'
import { route } from '../../route.ts'
import { OneOf, Page, paging, Time } from '../../shapes.ts'
import { byId, reads, siteId, writes } from './access.ts'
import { errorDecisions, errorStates, impactDaysMax } from './error-bounds.ts'
import { Direction } from './figures.ts'

/** Errors with one cause: message and stack are equal except for variable parts. */
export const ErrorGroup = Type.Object({
  id: Type.String(),
  errorGroup: Type.String({ description: 'Its name: by a rule, or else what the error says' }),
  type: Type.String({ description: 'Class of the error' }),
  title: Type.String({ description: 'The message without ids, numbers, hosts and the like' }),
  culprit: Type.String({ description: 'The nearest frames of the stack, likewise' }),
  state: OneOf(errorStates, { description: 'regressed: seen again after it was resolved' }),
  firstSeenAt: Time,
  lastSeenAt: Time,
  occurrences: Type.Integer(),
  sessions: Type.Integer(),
  users: Type.Integer(),
  releases: Type.Array(Type.String(), { description: 'At most 20' }),
  trend: Type.Object({
    direction: Direction,
    previousOccurrences: Type.Integer({
      description:
        'In as many days before the window, up to the same time of day; of hours, in as many before',
    }),
    series: Type.Array(Type.Object({ start: Time, isComplete: Type.Boolean(), occurrences: Type.Integer() })),
  }),
})
export type ErrorGroup = Static<typeof ErrorGroup>

export const ErrorExample = Type.Object({
  eventId: Type.String(),
  sessionId: Type.String({ description: 'The visit that met it; empty where it belongs to none' }),
  at: Time,
  message: Type.String(),
  stack: Type.String(),
  url: Type.String(),
  release: Type.String(),
  browser: Type.String(),
  handled: Type.Boolean(),
})
export type ErrorExample = Static<typeof ErrorExample>

const errorsSay =
  `Occurrences in the visits that the filters choose, over ${impactDaysMax} days at most. First and last times are ` +
  'those of all occurrences.'

export const listErrors = route({
  ...reads,
  id: 'listErrors',
  fresh: 'camel',
  method: 'GET',
  path: '/api/v1/errors',
  summary: 'Groups of errors, the most frequent first',
  description: errorsSay,
  query: Type.Object(
    { siteId, ...periodQuery, ...filterQuery, state: Type.Optional(OneOf(errorStates)), ...paging },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({ siteId: Type.String(), period: Period, ...Page(ErrorGroup).properties }),
  },
  problems: lookupProblems,
})

export const getError = route({
  ...reads,
  id: 'getError',
  fresh: 'camel',
  method: 'GET',
  path: '/api/v1/errors/:id',
  summary: 'One group of errors, with its latest occurrences',
  params: byId,
  description: errorsSay,
  query: Type.Object({ siteId, ...periodQuery, ...filterQuery }, { additionalProperties: false }),
  success: {
    status: 200,
    body: Type.Object({ ...ErrorGroup.properties, examples: Type.Array(ErrorExample) }),
  },
  problems: lookupProblems,
})

export const updateError = route({
  ...writes,
  id: 'updateError',
  method: 'PATCH',
  path: '/api/v1/errors/:id',
  summary: 'Resolve, mute or reopen a group of errors',
  params: byId,
  body: Type.Object({ siteId, state: OneOf(errorDecisions) }, { additionalProperties: false }),
  success: { status: 200, body: ErrorGroup },
  audit: { action: 'error.updated', details: ['siteId', 'state'] },
  invalidates: 'reports',
  problems: lookupProblems,
})
