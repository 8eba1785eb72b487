import { type Static, Type } from 'typebox'
import { eventPropertiesMax } from '../maxima.ts'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, paging, SnakePage, Time } from '../shapes.ts'
import { Issue } from './ingest.ts'

/** How long an event waits for a decision. */
export const heldDays = 30

export const quarantineStates = ['held', 'released', 'discarded', 'expired'] as const
export type QuarantineState = (typeof quarantineStates)[number]

/** A quarantined event: `held → released | discarded | expired`. Its id is the event's id. */
export const QuarantinedEvent = Type.Object({
  id: Type.String({ description: 'qtn_ and the event id' }),
  event_id: Type.String(),
  site_id: Type.String(),
  state: OneOf(quarantineStates),
  name: Type.String({ description: 'As sent' }),
  canonical_name: Type.String({ description: 'As the gate understood it; as sent where it did not' }),
  code: Type.String({ description: 'The issue that decided' }),
  issues: Type.Array(Issue, { description: 'Of the latest judgement of what was sent' }),
  received_at: Time,
  ts: Time,
  expires_at: Time,
  decided_at: Type.Union([Time, Type.Null()]),
  decided_by: Type.Union([Type.String(), Type.Null()], {
    description: 'The key that released or discarded it',
  }),
})
export type QuarantinedEvent = Static<typeof QuarantinedEvent>

/** A property that keeps events in quarantine. */
const QuarantineExample = Type.Object({
  property: Type.String({ description: 'Such as amount or items[].price' }),
  values: Type.Array(Type.String(), {
    description: 'Up to 3 that were sent, text in quotes, personal data masked; empty if it is missing',
  }),
})
export type QuarantineExample = Static<typeof QuarantineExample>

const filter = {
  event: Type.Optional(
    Type.String({ maxLength: 200, description: 'The name, as sent or as the gate understood it' }),
  ),
  code: Type.Optional(Type.String({ maxLength: 100 })),
  site_id: Type.Optional(Type.String({ maxLength: 64 })),
  from: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339; by time of arrival' })),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339; not included' })),
}
const Filter = Type.Object(filter, { additionalProperties: false })
export type QuarantineFilter = Static<typeof Filter>
const base = { plane: 'control', tag: 'Quarantine' } as const
const reads = { ...base, access: 'read', scope: 'events:read', rate: 'controlRead' } as const
const writes = { ...base, access: 'write', scope: 'registry:write', rate: 'controlWrite' } as const

export const listQuarantined = route({
  ...reads,
  id: 'listQuarantined',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/quarantine',
  summary: 'List quarantined events, newest first',
  query: Type.Object(
    {
      ...paging,
      ...filter,
      state: Type.Optional(OneOf(quarantineStates)),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SnakePage(QuarantinedEvent) },
  problems: accessProblems,
})

export const countQuarantined = route({
  ...reads,
  id: 'countQuarantined',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/quarantine/counts',
  summary: 'Quarantined events by site, event and code, and per code over time',
  description:
    'groups counts what is quarantined now, the most frequent first, 200 at most; the first 50 have examples of ' +
    'their newest events. days counts what came in, ' +
    'by the day of arrival in UTC, whatever became of it.',
  query: Filter,
  success: {
    status: 200,
    body: Type.Object({
      groups: Type.Array(
        Type.Object({
          site_id: Type.String(),
          name: Type.String(),
          code: Type.String(),
          held: Type.Integer(),
          last_received_at: Time,
          examples: Type.Array(QuarantineExample, { description: 'The properties at fault; 3 at most' }),
        }),
      ),
      days: Type.Array(Type.Object({ day: Type.String(), code: Type.String(), events: Type.Integer() })),
    }),
  },
  problems: accessProblems,
})

export const getQuarantined = route({
  ...reads,
  id: 'getQuarantined',
  method: 'GET',
  path: '/v1/quarantine/:id',
  summary: 'Read one quarantined event, with what was sent',
  params: Type.Object({ id: Type.String({ maxLength: 210 }) }),
  success: {
    status: 200,
    body: Type.Object({
      ...QuarantinedEvent.properties,
      sent: Type.Object({
        event: Type.String(),
        ts: Type.Union([Time, Type.Null()], { description: 'The sender’s clock at the event' }),
        anonymous_id: Type.Union([Type.String(), Type.Null()]),
        user_id: Type.Union([Type.String(), Type.Null()]),
        person_id: Type.Union([Type.String(), Type.Null()]),
        properties: Type.Unknown(),
        context: Type.Unknown(),
      }),
      patch: Type.Unknown({ description: 'What a release changed of the properties; null without' }),
    }),
  },
  problems: lookupProblems,
})

const selection = {
  ids: Type.Optional(Type.Array(Type.String({ maxLength: 210 }), { minItems: 1, maxItems: 1000 })),
  filter: Type.Optional(Filter),
}

export const releaseQuarantined = route({
  ...writes,
  id: 'releaseQuarantined',
  method: 'POST',
  holdsEvents: true,
  path: '/v1/quarantine/release',
  summary: 'Validate quarantined events again',
  description:
    'Takes ids or a filter; an empty filter means everything in quarantine. Event id and time stay, and the ' +
    'age of an event is not checked again. What passes is stored exactly once; the rest stays quarantined, ' +
    'with its new issues. patch is merged into the properties first (null removes one); where the event then ' +
    'does not pass, it is as if it had not been tried. What has left quarantine is not matched, so a call may be repeated.',
  body: Type.Object(
    {
      ...selection,
      patch: Type.Optional(Dictionary(Type.Unknown(), { maxProperties: eventPropertiesMax })),
      dry_run: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({
      dry_run: Type.Boolean(),
      matched: Type.Integer(),
      released: Type.Integer(),
      still_held: Type.Integer(),
      results: Type.Array(
        Type.Object({
          id: Type.String(),
          event_id: Type.String(),
          outcome: Type.String(),
          issues: Type.Array(Issue),
        }),
        { description: 'The first 200' },
      ),
    }),
  },
  audit: { action: 'quarantine.released', details: ['filter', 'matched', 'released'] },
  invalidates: 'reports',
  problems: accessProblems,
})

export const discardQuarantined = route({
  ...writes,
  id: 'discardQuarantined',
  method: 'POST',
  path: '/v1/quarantine/discard',
  summary: 'Discard quarantined events',
  description:
    'Takes ids or a filter; an empty filter means everything in quarantine. A discarded event is never stored: its ' +
    'id stays known, so that a repeated delivery is answered as a duplicate.',
  body: Type.Object(
    { ...selection, dry_run: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({ dry_run: Type.Boolean(), matched: Type.Integer(), discarded: Type.Integer() }),
  },
  audit: { action: 'quarantine.discarded', details: ['filter', 'matched', 'discarded'] },
  invalidates: 'reports',
  problems: accessProblems,
})

export const quarantineRoutes = [
  listQuarantined,
  countQuarantined,
  getQuarantined,
  releaseQuarantined,
  discardQuarantined,
] as const
