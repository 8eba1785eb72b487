import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, Nullable, OneOf, Rate, Time } from '../shapes.ts'
import { reads, scope } from './access.ts'

export const healthStatuses = ['healthy', 'degraded', 'failing', 'silent'] as const

export const EventHealth = Type.Object({
  key: Type.String(),
  name: Type.String(),
  volume: Type.Integer({ description: 'Events that arrived, whatever the verdict; repeats are not counted' }),
  expected: Nullable(Type.Number({ description: 'What is usual for the same hours; null while learning' })),
  accept_rate: Rate,
  warn_rate: Rate,
  quarantine_rate: Rate,
  reject_rate: Rate,
  duplicate_rate: Rate,
  p95_latency_ms: Nullable(
    Type.Number({ description: 'From the event to its arrival; null without any stored' }),
  ),
  last_seen_at: Nullable(
    Type.String({
      description:
        'RFC 3339, UTC. When the last one that was stored or quarantined happened; null where there is none',
    }),
  ),
  status: OneOf(healthStatuses),
})
export type EventHealth = Static<typeof EventHealth>

export const listEventHealth = route({
  ...reads,
  id: 'listEventHealth',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/health/events',
  summary: 'Health summary across the workspace',
  query: Type.Object(scope, { additionalProperties: false }),
  success: {
    status: 200,
    body: Type.Object({
      period: Type.Object({ from: Time, to: Time }),
      summary: Type.Object({
        healthy: Type.Integer(),
        degraded: Type.Integer(),
        failing: Type.Integer(),
        silent: Type.Integer(),
      }),
      data: Type.Array(EventHealth, { description: 'The 500 with the most arrivals' }),
    }),
  },
  problems: lookupProblems,
})

const Trend = Type.Array(
  Type.Object({
    value: Type.String(),
    events: Type.Integer(),
    share: Rate,
    previous_share: Rate,
    warn_rate: Rate,
    p95_latency_ms: Nullable(Type.Number()),
    first_seen_at: Time,
  }),
)

export const getEventHealth = route({
  ...reads,
  id: 'getEventHealth',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/health/events/:key',
  summary: 'Health of one event',
  description: 'With its series and the trend by release, SDK, source and contract version.',
  params: Type.Object({ key: Type.String({ maxLength: 200 }) }),
  query: Type.Object(scope, { additionalProperties: false }),
  success: {
    status: 200,
    body: Type.Object({
      ...EventHealth.properties,
      period: Type.Object({ from: Time, to: Time }),
      series: Type.Array(
        Type.Object({ start: Time, volume: Type.Integer(), expected: Nullable(Type.Number()) }),
      ),
      issues: Dictionary(Type.Integer(), { description: 'Arrivals by their worst issue' }),
      trends: Type.Object({ release: Trend, sdk: Trend, source: Trend, contract_version: Trend }),
    }),
  },
  problems: lookupProblems,
})
