import { type Static, type TSchema, Type } from 'typebox'
import { eventPropertiesMax } from '../maxima.ts'
import { surfaces } from '../registry/event-contract.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, paging, SnakePage, Time } from '../shapes.ts'

export const healthStatuses = ['healthy', 'degraded', 'failing', 'silent'] as const
export const anomalyTypes = ['volume', 'schema', 'latency'] as const
export type AnomalyType = (typeof anomalyTypes)[number]
export const anomalyStatuses = ['open', 'acknowledged', 'muted', 'closed'] as const

const Nullable = <Shape extends TSchema>(shape: Shape) => Type.Union([shape, Type.Null()])
const Rate = Type.Number({ minimum: 0, maximum: 1 })

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

const problems = ['unauthenticated', 'insufficient-scope', 'not-found'] as const
const reads = {
  plane: 'control',
  access: 'read',
  scope: 'health:read',
  rate: 'controlRead',
  tag: 'Health',
} as const
const writes = { ...reads, access: 'write', scope: 'health:write', rate: 'controlWrite' } as const

const site = Type.Optional(Type.String({ maxLength: 64, description: 'One site; else the whole workspace' }))
const scope = {
  site_id: site,
  window: Type.Optional(
    Type.String({
      pattern: '^([1-9]|[12][0-9]|3[01])d$',
      description: 'Days up to now, 31 at most',
      default: '7d',
    }),
  ),
}

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
  problems,
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
  problems,
})

export const Anomaly = Type.Object({
  id: Type.String(),
  type: OneOf(anomalyTypes),
  site_id: Type.String(),
  event_key: Nullable(Type.String({ description: 'Null where it is about all events of the site' })),
  issue: Nullable(
    Type.String({
      description:
        'Of an anomaly in schema: the code whose rate rose, `repeated_ids`, or what became of which property, such ' +
        'as `property_vanished:currency`. Of one in volume of a whole surface: `surface:ios`.',
    }),
  ),
  started_at: Time,
  ended_at: Nullable(Time),
  observed: Type.Number({
    description:
      'Of volume: events. Of latency: milliseconds. Of schema: a share of the events; of `property_values_shift` the ' +
      'population stability index, and of `property_number_shift` the median of the property.',
  }),
  expected: Type.Number({ description: 'In the same unit' }),
  score: Type.Number({ description: 'How far off, in robust deviations' }),
  severity: OneOf(['warning', 'critical']),
  suspected_cause: Type.Object({
    app_version: Nullable(Type.String()),
    sdk: Nullable(Type.String()),
    source: Nullable(Type.String()),
    contract_version: Nullable(Type.String()),
  }),
  group: Type.String({
    description: 'Anomalies of one suspected cause, or of one hour on one site, share it',
  }),
  is_alert: Type.Boolean({ description: 'False beyond the budget of alerts, and where it is muted' }),
  status: OneOf(anomalyStatuses),
  muted_until: Nullable(Time),
  note: Nullable(Type.String()),
  updated_at: Time,
})
export type Anomaly = Static<typeof Anomaly>

export const listAnomalies = route({
  ...reads,
  id: 'listAnomalies',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/health/anomalies',
  summary: 'Detected anomalies (volume, schema, latency)',
  description: 'Newest first. They are looked for in the background, an hour after the other.',
  query: Type.Object(
    {
      ...paging,
      status: Type.Optional(OneOf(anomalyStatuses)),
      type: Type.Optional(OneOf(anomalyTypes)),
      event: Type.Optional(Type.String({ maxLength: 200, description: 'Key of an event' })),
      site_id: site,
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SnakePage(Anomaly) },
  problems,
})

const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
const Note = Type.Optional(Type.String({ maxLength: 500 }))

export const acknowledgeAnomaly = route({
  ...writes,
  id: 'acknowledgeAnomaly',
  method: 'POST',
  path: '/v1/health/anomalies/:id/acknowledge',
  summary: 'Acknowledge an anomaly',
  params: byId,
  body: Type.Object({ note: Note }, { additionalProperties: false }),
  success: { status: 200, body: Anomaly },
  audit: { action: 'anomaly.acknowledged', details: ['note'] },
  problems: [...problems, 'conflict'],
})

export const muteAnomaly = route({
  ...writes,
  id: 'muteAnomaly',
  method: 'POST',
  path: '/v1/health/anomalies/:id/mute',
  summary: 'No alerts of this kind about this event for some days',
  params: byId,
  body: Type.Object(
    { days: Type.Integer({ minimum: 1, maximum: 90 }), note: Note },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Anomaly },
  audit: { action: 'anomaly.muted', details: ['days', 'note'] },
  problems,
})

const settings = {
  score_alone: Type.Number({
    minimum: 3,
    maximum: 50,
    description:
      'One hour this far off is an anomaly; of some hours together, 0.65 of it below what is expected',
  }),
  score_twice: Type.Number({ minimum: 2, maximum: 50, description: 'Or two hours in a row' }),
  change_least: Type.Number({ minimum: 0.05, maximum: 5, description: 'And a change of at least this part' }),
  alerts_per_week: Type.Integer({ minimum: 0, maximum: 1_000 }),
  quarantine_share: Type.Number({
    minimum: 0.01,
    maximum: 1,
    description:
      'The notice quarantine.threshold is sent when this share of an event’s arrivals is quarantined',
  }),
  quarantine_least: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'And at least so many are' }),
}
export const HealthSettings = Type.Object(settings)
export type HealthSettings = Static<typeof HealthSettings>

export const getHealthSettings = route({
  ...reads,
  id: 'getHealthSettings',
  method: 'GET',
  path: '/v1/health/settings',
  summary: 'How events are watched',
  success: { status: 200, body: HealthSettings },
  problems,
})

export const setHealthSettings = route({
  ...writes,
  id: 'setHealthSettings',
  method: 'POST',
  path: '/v1/health/settings',
  summary: 'Change how events are watched, or try it on history',
  description:
    'What is left out keeps its value. With `dry_run` nothing is kept, and the answer is what the last weeks would ' +
    'have raised under the current settings and under these.',
  body: Type.Object(
    { ...Type.Partial(Type.Object(settings)).properties, dry_run: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  ),
  success: { status: 201, body: HealthSettings },
  otherSuccess: {
    status: 200,
    body: Type.Object({
      dry_run: Type.Literal(true),
      settings: HealthSettings,
      period: Type.Object({ from: Time, to: Time }),
      before: Type.Object({ incidents: Type.Integer(), alerts: Type.Integer() }),
      after: Type.Object({ incidents: Type.Integer(), alerts: Type.Integer() }),
      incidents: Type.Array(
        Type.Object({
          event_key: Type.String(),
          site_id: Type.String(),
          started_at: Time,
          observed: Type.Number(),
          expected: Type.Number(),
          score: Type.Number(),
        }),
        { description: 'Under the new settings, the 100 furthest off' },
      ),
    }),
  },
  audit: { action: 'health_settings.changed', details: Object.keys(settings) },
  problems,
})

export const Coverage = Type.Object({
  surface: OneOf(surfaces),
  score: Nullable(Type.Number({ description: '0 to 100; null where nothing is expected' })),
  parts: Type.Object({
    seen: Nullable(Rate),
    complete: Nullable(Rate),
    fresh: Nullable(Rate),
  }),
  expected: Type.Array(Type.String()),
  seen: Type.Array(Type.String()),
  missing: Type.Array(Type.String()),
  stale: Type.Array(Type.Object({ key: Type.String(), last_seen_at: Time, usual_gap_hours: Type.Number() })),
  loss: Dictionary(Type.Number(), { description: 'Events that SDKs had to drop, by reason' }),
})
export type Coverage = Static<typeof Coverage>

export const getCoverage = route({
  ...reads,
  id: 'getCoverage',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/health/coverage',
  summary: 'Coverage score per surface',
  query: Type.Object({ site_id: site }, { additionalProperties: false }),
  success: { status: 200, body: Type.Object({ data: Type.Array(Coverage) }) },
  problems,
})

const Sighting = Nullable(
  Type.Object({
    event_id: Type.String(),
    at: Time,
    amount: Nullable(Type.Number()),
    currency: Type.String(),
  }),
)
export const orderFindings = [
  'browser_missing',
  'server_missing',
  'webhook_missing',
  'amount_differs',
  'currency_differs',
  'late',
  'counted_twice_by_platform',
] as const

export const Order = Type.Object({
  order_id: Type.String(),
  amounts: Type.Array(Type.Object({ amount: Type.Number(), currency: Type.String() }), {
    maxItems: 10,
    description:
      'The different amounts under which it was seen, the earliest first; more than one where they differ',
  }),
  browser: Sighting,
  server: Sighting,
  webhook: Sighting,
  gap_ms: Nullable(Type.Integer({ description: 'Between the first sighting and the last' })),
  platform: OneOf(['single', 'deduplicated', 'counted_twice'], {
    description:
      'What an ad platform that compares name and event id within 48 hours makes of browser and server',
  }),
  findings: Type.Array(OneOf(orderFindings)),
})

export const getConversionMismatch = route({
  ...reads,
  id: 'getConversionMismatch',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/health/conversions',
  summary: 'Orders reconciled over browser, server and payment webhook',
  query: Type.Object(
    { ...scope, limit: paging.limit, finding: Type.Optional(OneOf(orderFindings)) },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({
      period: Type.Object({ from: Time, to: Time }),
      orders: Type.Integer(),
      consistent: Type.Integer(),
      findings: Dictionary(Type.Integer()),
      server_coverage: Nullable(
        Type.Number({ description: 'Orders the server sent, to those the browser sent' }),
      ),
      id_overlap: Nullable(Rate),
      is_mismatch: Type.Boolean({
        description: 'Coverage beyond 0.75–1.25, or overlap below 0.85, on 100 orders',
      }),
      data: Type.Array(Order),
    }),
  },
  problems,
})

const Given = Type.Union([
  Type.String({ minLength: 1, maxLength: 200, description: 'The id of a stored event' }),
  Type.Object({
    event_id: Type.Optional(Type.String({ maxLength: 200 })),
    event: Type.String({ minLength: 1, maxLength: 200 }),
    ts: Type.Optional(Type.String({ maxLength: 40 })),
    person_id: Type.Optional(Type.String({ maxLength: 200 })),
    user_id: Type.Optional(Type.String({ maxLength: 200 })),
    anonymous_id: Type.Optional(Type.String({ maxLength: 200 })),
    source: Type.Optional(Type.String({ maxLength: 200 })),
    properties: Type.Optional(Dictionary(Type.Unknown(), { maxProperties: eventPropertiesMax })),
  }),
])

export const checkDuplicate = route({
  ...reads,
  id: 'checkDuplicate',
  method: 'POST',
  holdsEvents: true,
  path: '/v1/health/dedup-check',
  summary: 'Ask whether two records look like duplicates',
  body: Type.Object({ a: Given, b: Given }, { additionalProperties: false }),
  success: {
    status: 200,
    body: Type.Object({
      duplicate: Type.Boolean(),
      verdict: OneOf(['duplicate', 'likely', 'distinct']),
      score: Rate,
      reasons: Type.Array(Type.String()),
      parts: Type.Object({ properties: Rate, identity: Rate, time: Rate, source: Rate }),
    }),
  },
  problems,
})

export const healthRoutes = [
  listEventHealth,
  getEventHealth,
  listAnomalies,
  acknowledgeAnomaly,
  muteAnomaly,
  getHealthSettings,
  setHealthSettings,
  getCoverage,
  getConversionMismatch,
  checkDuplicate,
] as const
