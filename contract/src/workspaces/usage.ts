import { type Static, Type } from 'typebox'
import { accessProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Time } from '../shapes.ts'

const Verdicts = Type.Object({
  accept: Type.Integer(),
  warn: Type.Integer(),
  quarantine: Type.Integer(),
  reject: Type.Integer(),
  duplicates: Type.Integer({ description: 'Sent again; in none of the others' }),
})

/** What a workspace sends and stores, and its limits. */
export const Usage = Type.Object({
  month: Type.Object(
    { from: Time, to: Time },
    { description: 'A calendar month in UTC, by when events happened' },
  ),
  events: Verdicts,
  sites: Type.Array(Type.Object({ site_id: Type.String(), events: Verdicts })),
  days: Type.Array(Type.Object({ day: Type.String(), events: Type.Integer() }), {
    description: 'Everything that was judged, by day in UTC',
  }),
  storage: Type.Object({
    events: Type.Integer({ description: 'Stored, of all times' }),
    held: Type.Integer({ description: 'In quarantine, of all times' }),
    bytes: Type.Integer({ description: 'Estimated: what an event takes on average, compressed' }),
    oldest_event_at: Type.Union([Time, Type.Null()]),
  }),
  limits: Type.Object({
    events_per_second: Type.Integer({
      description: 'Of each site, by secret and by public senders each, with bursts of twice as many',
    }),
    public_events_per_second_per_address: Type.Integer({
      description: 'Of each source address of public senders, with bursts of five times as many',
    }),
    calls_per_minute: Type.Object({
      api_read: Type.Integer(),
      api_write: Type.Integer(),
      control_read: Type.Integer(),
      control_write: Type.Integer(),
      person: Type.Integer({ description: 'Of each signed-in person' }),
    }),
    held_days: Type.Integer({ description: 'How long quarantined events are kept' }),
    replay_days: Type.Integer({ description: 'How long recorded visits are kept' }),
  }),
})
export type Usage = Static<typeof Usage>

export const getUsage = route({
  id: 'getUsage',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/usage',
  plane: 'control',
  access: 'read',
  scope: 'sites:read',
  rate: 'controlRead',
  tag: 'Health',
  summary: 'What the workspace sent in a month, what it keeps, and its limits',
  query: Type.Object(
    {
      month: Type.Optional(
        Type.String({
          pattern: '^20\\d\\d-(0[1-9]|1[0-2])$',
          description: 'Such as 2026-03; this month unless said',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Usage },
  problems: accessProblems,
})

export const usageRoutes = [getUsage] as const
