import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { outcomes } from '../registry/event-contract.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, Time } from '../shapes.ts'
import { Issue } from './ingest.ts'

/** Per site and node. */
export const recentEventsMax = 100
export const recentEventHours = 24

/** One event as it passed the gate, without the ids of its person. */
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
  path: Type.String({ description: 'Of its page, without query; empty without a page, or if rejected' }),
  properties: Type.Union([Dictionary(Type.Unknown()), Type.Null()], {
    description:
      'As the gate accepted them; null if rejected, since nothing of such an event is kept. Without ' +
      'identity:read, identifiers are left out, and an identify or group call has null',
  }),
  properties_truncated: Type.Boolean({ description: 'There are more, or longer ones' }),
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
    `its memory only, for ${recentEventHours} hours at most. Ask again with \`cursor\` as \`after\` to get what came since.`,
  query: Type.Object(
    {
      site_id: Type.String({ maxLength: 64 }),
      after: Type.Optional(Type.String({ maxLength: 80, description: 'The cursor of the answer before' })),
      outcome: Type.Optional(OneOf(outcomes)),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Type.Object({ data: Type.Array(RecentEvent), cursor: Type.String() }) },
  problems: lookupProblems,
})

export const recentEventRoutes = [listRecentEvents] as const
