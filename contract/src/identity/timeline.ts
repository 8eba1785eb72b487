import { type Static, Type } from 'typebox'
import { Issue } from '../ingest/ingest.ts'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { exact, Nullable, paging, SnakePage, Time } from '../shapes.ts'
import { reads } from './access.ts'
import { PersonId, personParams } from './identity-shapes.ts'

export const TimelineEvent = Type.Object({
  event_id: Type.String(),
  site_id: Type.String(),
  ts: Time,
  received_at: Time,
  name: Type.String(),
  sent_name: Type.String(),
  verdict: Type.Object({ outcome: Type.String(), issues: Type.Array(Issue) }),
  source: Type.Object({
    endpoint: Type.String(),
    surface: Type.String(),
    sdk: Type.String(),
    channel: Type.String(),
    referrer: Type.String(),
  }),
  identified_by: Type.Object({
    person_id: PersonId,
    user_id: Nullable(Type.String()),
    anonymous_id: Nullable(Type.String()),
  }),
  session_id: Type.String(),
  url: Type.String(),
  title: Type.String(),
  counted: Type.Boolean(),
  amount: Nullable(Type.Number({ description: 'Of a purchase and the like' })),
  currency: Nullable(Type.String()),
  properties: Type.Unknown(),
})
export type TimelineEvent = Static<typeof TimelineEvent>

export const getTimeline = route({
  ...reads,
  id: 'getTimeline',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/identity/person/:id/timeline',
  summary: 'What a person did, newest first, over all identifiers',
  params: personParams,
  query: Type.Object(
    {
      ...paging,
      from: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339' })),
      to: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339; not included' })),
      event: Type.Optional(Type.String({ maxLength: 200 })),
    },
    exact,
  ),
  success: { status: 200, body: SnakePage(TimelineEvent) },
  problems: lookupProblems,
})
