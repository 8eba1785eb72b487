import { type Static, Type } from 'typebox'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, paging, SnakePage, Time } from '../shapes.ts'
import { Issue } from './ingest.ts'

export const deadLetterStates = ['waiting', 'loaded', 'discarded'] as const
export type DeadLetterState = (typeof deadLetterStates)[number]

/** Where a load can fail: each is a possible reason of a dead letter. */
export const deadLetterSteps = [
  'read',
  'staging',
  'verdicts',
  'events',
  'errors',
  'quarantine',
  'decisions',
  'ids',
  'currencies',
  'identity',
  'destinations',
] as const

/**
 * An acknowledged event that the stores refused, kept until someone decides: `waiting → loaded | discarded`.
 */
export const DeadLetter = Type.Object({
  id: Type.String({ description: 'dl_ and a hash of where the line stood' }),
  state: OneOf(deadLetterStates),
  site_id: Type.Union([Type.String(), Type.Null()]),
  event_id: Type.Union([Type.String(), Type.Null()], {
    description: 'Null where the line has none: counts of rejected and repeated events are lines too',
  }),
  name: Type.Union([Type.String(), Type.Null()]),
  step: Type.String({ description: 'The step of the load that was refused' }),
  reason: Type.String({ description: 'What the store said' }),
  stored: Type.Boolean({
    description: 'The event itself is stored and counted; what is missing is what follows from it',
  }),
  node: Type.String({ description: 'The node in whose log it was' }),
  received_at: Type.Union([Time, Type.Null()]),
  failed_at: Time,
  decided_at: Type.Union([Time, Type.Null()]),
  decided_by: Type.Union([Type.String(), Type.Null()]),
})
export type DeadLetter = Static<typeof DeadLetter>

const site_id = Type.Optional(Type.String({ maxLength: 64, pattern: '^[^\\u0000]*$' }))
const step = Type.Optional(Type.String({ maxLength: 40, pattern: '^[a-z]*$' }))
const params = Type.Object({ id: Type.String({ maxLength: 64, pattern: '^[^\\u0000]*$' }) })
const base = { plane: 'control', tag: 'Dead letters' } as const
const reads = { ...base, access: 'read', scope: 'events:read', rate: 'controlRead' } as const
const writes = { ...base, access: 'write', scope: 'registry:write', rate: 'controlWrite' } as const

export const listDeadLetters = route({
  ...reads,
  id: 'listDeadLetters',
  method: 'GET',
  path: '/v1/dead-letters',
  summary: 'List dead letters, newest first',
  description:
    'Acknowledged events that the stores refused. Nothing is missing from any other list because of them.',
  query: Type.Object(
    { ...paging, state: Type.Optional(OneOf(deadLetterStates)), site_id, step },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SnakePage(DeadLetter) },
  problems: accessProblems,
})

export const getDeadLetter = route({
  ...reads,
  id: 'getDeadLetter',
  method: 'GET',
  path: '/v1/dead-letters/:id',
  summary: 'Read one dead letter, with the event as it was read',
  params,
  success: {
    status: 200,
    body: Type.Object({
      ...DeadLetter.properties,
      event: Type.Unknown({ description: 'As an event of /v1/track; null where the line cannot be read' }),
      line: Type.String({ description: 'The line of the log in base64' }),
    }),
  },
  problems: lookupProblems,
})

const Loaded = Type.Object({
  id: Type.String(),
  state: OneOf(['loaded'] as const),
  event_id: Type.Union([Type.String(), Type.Null()]),
  outcome: Type.Union([Type.String(), Type.Null()], {
    description: 'The verdict on a repaired event; null where the line goes in as it was',
  }),
  issues: Type.Array(Issue),
})

export const loadDeadLetter = route({
  ...writes,
  id: 'loadDeadLetter',
  method: 'POST',
  holdsEvents: true,
  path: '/v1/dead-letters/:id/load',
  summary: 'Load a dead letter again, as it was or repaired',
  description:
    'Without event the line goes into the log as it was, for a store that takes it by now. With event, shaped as for ' +
    '/v1/track, the event passes the gate again; its id, time and arrival stay. Either way it is counted once. What ' +
    'is refused again waits again, under the same id.',
  params,
  body: Type.Object({ event: Type.Optional(Dictionary(Type.Unknown())) }, { additionalProperties: false }),
  success: { status: 200, body: Loaded },
  audit: { action: 'dead_letter.loaded', details: ['event_id', 'outcome'] },
  problems: [...lookupProblems, 'conflict', 'contract-violation', 'payload-too-large', 'unavailable'],
})

export const loadDeadLetters = route({
  ...writes,
  id: 'loadDeadLetters',
  method: 'POST',
  path: '/v1/dead-letters/load',
  summary: 'Load all dead letters of a filter again, as they were',
  description:
    'An empty filter means all that wait. At most 10,000 a call; more says whether some are left. Those that are ' +
    'refused again wait again.',
  body: Type.Object(
    { filter: Type.Object({ site_id, step }, { additionalProperties: false }) },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Type.Object({ loaded: Type.Integer(), more: Type.Boolean() }) },
  audit: { action: 'dead_letters.loaded', details: ['filter', 'loaded'] },
  problems: [...accessProblems, 'unavailable'],
})

export const discardDeadLetter = route({
  ...writes,
  id: 'discardDeadLetter',
  method: 'POST',
  path: '/v1/dead-letters/:id/discard',
  summary: 'Discard a dead letter',
  description:
    'It is never loaded. Its event id stays known for 30 days, so that a repeated delivery is answered as a duplicate.',
  params,
  success: { status: 200, body: DeadLetter },
  audit: { action: 'dead_letter.discarded', details: ['event_id'] },
  problems: [...lookupProblems, 'conflict'],
})

export const deadLetterRoutes = [
  listDeadLetters,
  loadDeadLetters,
  getDeadLetter,
  loadDeadLetter,
  discardDeadLetter,
] as const
