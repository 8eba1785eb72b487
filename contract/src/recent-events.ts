import { type Static, Type } from 'typebox'
import { outcomes } from './event-contract.ts'
import { Issue } from './ingest.ts'
import { route } from './route.ts'
import { OneOf, Time } from './shapes.ts'

/** Per site and node. */
export const recentEventsMax = 100

/** One event as it passed the gate, without anything that identifies its person. */
export const RecentEvent = Type.Object({
  id: Type.String({ description: 'Its position in the stream, until the node restarts' }),
  event_id: Type.String(),
  name: Type.String({ description: 'As the gate understood it' }),
  sent_name: Type.String(),
  outcome: OneOf(outcomes),
  duplicate: Type.Boolean({ description: 'Sent before, or an order that counts already' }),
  issues: Type.Array(Issue),
  ts: Time,
  received_at: Time,
  endpoint: Type.String({ description: 'track, batch, ingest, or webhook: and the vendor' }),
})
export type RecentEvent = Static<typeof RecentEvent>

export const listRecentEvents = route({
  id: 'listRecentEvents',
  method: 'GET',
  path: '/v1/events/recent',
  plane: 'control',
  access: 'read',
  scope: 'events:read',
  rate: 'controlRead',
  tag: 'Ingest',
  summary: 'The latest events of a site with their verdicts, rejected ones too',
  description:
    `The last ${recentEventsMax} that the node which answers has taken in since its start, newest first; they are in ` +
    'its memory only. Ask again with `cursor` as `after` to get what came since.',
  query: Type.Object(
    {
      site_id: Type.String({ maxLength: 64 }),
      after: Type.Optional(Type.String({ maxLength: 80, description: 'The cursor of the answer before' })),
      outcome: Type.Optional(OneOf(outcomes)),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Type.Object({ data: Type.Array(RecentEvent), cursor: Type.String() }) },
  problems: ['unauthenticated', 'insufficient-scope', 'not-found'],
})

export const recentEventRoutes = [listRecentEvents] as const
