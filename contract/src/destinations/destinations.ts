import { type Static, Type } from 'typebox'
import { accessProblems, lookupProblems } from '../problems.ts'
import { consentCategories } from '../registry/event-contract.ts'
import { route } from '../route.ts'
import { OneOf, paging, SnakePage, Time } from '../shapes.ts'
import { noticeTypes } from './notices.ts'

export const destinationLimits = {
  destinationsMax: 20,
  namesMax: 200,
  /** Decisions §8: notices are retried for 24 hours; events as long. */
  retryHours: 24,
  keepPreviousHoursMax: 30 * 24,
} as const

export const destinationStatuses = ['active', 'paused', 'gone'] as const
export type DestinationStatus = (typeof destinationStatuses)[number]

const name = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000]*\\S[^\\u0000]*$' })
const url = Type.String({ maxLength: 2_000, pattern: '^https?://[^\\s\\u0000]+$' })
const events = Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]+$' }), {
  maxItems: destinationLimits.namesMax,
  description: 'Names of events; `*` for every one. Empty: no events.',
})
const purposes = Type.Array(OneOf(consentCategories), {
  maxItems: consentCategories.length,
  description: 'An event goes out only while its person grants all of these',
})
const notices = Type.Array(OneOf(noticeTypes), { maxItems: noticeTypes.length })

/** Where events and notices are sent. Its secret is shown when it is created, and never again. */
export const Destination = Type.Object({
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  site_id: Type.Union([Type.String(), Type.Null()], { description: 'Null: events of every site' }),
  events,
  purposes,
  notices,
  status: OneOf(destinationStatuses, {
    description: '`gone`: the receiver answered 410, so nothing is sent until you make it active again',
  }),
  secrets_in_force: Type.Integer({ description: 'More than one while a rotation is under way' }),
  pending: Type.Integer({ description: 'Deliveries that wait or are tried again' }),
  dead: Type.Integer({ description: 'Deliveries that were given up; replay sends them again' }),
  failing_since: Type.Union([Time, Type.Null()]),
  created_at: Time,
})
export type Destination = Static<typeof Destination>

const WithSecret = Type.Intersect([
  Destination,
  Type.Object({ secret: Type.String({ description: 'Verifies what is sent; shown this once' }) }),
])

const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
const common = { plane: 'control', tag: 'Destinations' } as const
const reading = { ...common, access: 'read', scope: 'webhooks:read', rate: 'controlRead' } as const
const writing = { ...common, access: 'write', scope: 'webhooks:write', rate: 'controlWrite' } as const

export const createDestination = route({
  id: 'createDestination',
  method: 'POST',
  path: '/v1/destinations',
  ...writing,
  summary: 'Send accepted events and notices to an address of yours',
  description:
    'Signed as Standard Webhooks say (`webhook-id`, `webhook-timestamp`, `webhook-signature`). Events go out in ' +
    'order for each person, at least once, and are tried again for 24 hours. Quarantined and rejected events ' +
    'are never sent. Addresses inside your own network are refused unless the operator allows them.',
  body: Type.Object(
    {
      name,
      url,
      site_id: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
      events: Type.Optional(events),
      purposes: Type.Optional(purposes),
      notices: Type.Optional(notices),
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: WithSecret },
  problems: [...lookupProblems, 'conflict'],
  audit: { action: 'destination.created', details: ['name', 'site_id', 'events', 'purposes', 'notices'] },
})

export const listDestinations = route({
  id: 'listDestinations',
  method: 'GET',
  path: '/v1/destinations',
  ...reading,
  summary: 'List destinations',
  success: { status: 200, body: Type.Object({ data: Type.Array(Destination) }) },
  problems: accessProblems,
})

export const getDestination = route({
  id: 'getDestination',
  method: 'GET',
  path: '/v1/destinations/:id',
  ...reading,
  summary: 'One destination, with how many deliveries wait or were given up',
  params: byId,
  success: { status: 200, body: Destination },
  problems: lookupProblems,
})

export const updateDestination = route({
  id: 'updateDestination',
  method: 'PATCH',
  path: '/v1/destinations/:id',
  ...writing,
  summary: 'Change, pause or resume a destination',
  description: 'While it is paused, what happens is not kept for it; what waits already goes out afterwards.',
  params: byId,
  body: Type.Object(
    {
      name: Type.Optional(name),
      url: Type.Optional(url),
      site_id: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
      events: Type.Optional(events),
      purposes: Type.Optional(purposes),
      notices: Type.Optional(notices),
      status: Type.Optional(OneOf(['active', 'paused'])),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  success: { status: 200, body: Destination },
  problems: lookupProblems,
  audit: {
    action: 'destination.changed',
    details: ['name', 'site_id', 'events', 'purposes', 'notices', 'status'],
  },
})

export const rotateDestinationSecret = route({
  id: 'rotateDestinationSecret',
  method: 'POST',
  path: '/v1/destinations/:id/rotate',
  ...writing,
  summary: 'Sign with a new secret',
  description: 'The one before signs as well for a while, so that receivers can change over.',
  params: byId,
  body: Type.Object(
    {
      keep_previous_hours: Type.Optional(
        Type.Number({ minimum: 0, maximum: destinationLimits.keepPreviousHoursMax, default: 24 }),
      ),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: WithSecret },
  problems: lookupProblems,
  audit: { action: 'destination.rotated', details: ['keep_previous_hours'] },
})

export const deleteDestination = route({
  id: 'deleteDestination',
  method: 'DELETE',
  path: '/v1/destinations/:id',
  ...writing,
  summary: 'Send nothing more, and forget what was to be sent',
  params: byId,
  success: { status: 204, body: null },
  problems: lookupProblems,
  audit: { action: 'destination.deleted' },
})

export const sendStatuses = ['pending', 'delivered', 'dead'] as const
export type SendStatus = (typeof sendStatuses)[number]

export const dispatchKinds = ['event', 'notice', 'test'] as const

export const Dispatch = Type.Object({
  id: Type.String({ description: 'Sent as webhook-id, the same at every try' }),
  destination_id: Type.String(),
  kind: OneOf(dispatchKinds),
  type: Type.String({ description: 'Name of the event, or type of the notice' }),
  status: OneOf(sendStatuses),
  attempts: Type.Integer(),
  response_status: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Of the last try; null: no answer',
  }),
  error: Type.Union([Type.String(), Type.Null()]),
  created_at: Time,
  next_attempt_at: Type.Union([Time, Type.Null()]),
  delivered_at: Type.Union([Time, Type.Null()]),
})
export type Dispatch = Static<typeof Dispatch>

export const testDestination = route({
  id: 'testDestination',
  method: 'POST',
  path: '/v1/destinations/:id/test',
  ...writing,
  summary: 'Send a test now and return the receiver’s answer',
  params: byId,
  success: { status: 200, body: Dispatch },
  problems: lookupProblems,
  audit: { action: 'destination.tested' },
})

export const listDispatches = route({
  id: 'listDispatches',
  method: 'GET',
  path: '/v1/destinations/:id/deliveries',
  ...reading,
  summary: 'What was sent, is waiting or was given up, newest first',
  description: 'Delivered ones are kept for 7 days, given-up ones for 30.',
  params: byId,
  query: Type.Object(
    {
      ...paging,
      cursor: Type.Optional(Type.String({ maxLength: 64, pattern: '^[^\\u0000]*$' })),
      status: Type.Optional(OneOf(sendStatuses)),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SnakePage(Dispatch) },
  problems: lookupProblems,
})

export const replayDispatches = route({
  id: 'replayDispatches',
  method: 'POST',
  path: '/v1/destinations/:id/replay',
  ...writing,
  summary: 'Send again: one delivery, or all that were given up',
  params: byId,
  body: Type.Object(
    { delivery_id: Type.Optional(Type.String({ maxLength: 64, pattern: '^[^\\u0000]*$' })) },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Type.Object({ replayed: Type.Integer() }) },
  problems: lookupProblems,
  audit: { action: 'destination.replayed' },
})

export const destinationRoutes = [
  createDestination,
  listDestinations,
  getDestination,
  updateDestination,
  rotateDestinationSecret,
  deleteDestination,
  testDestination,
  listDispatches,
  replayDispatches,
] as const
