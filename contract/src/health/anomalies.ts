import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Nullable, OneOf, paging, SnakePage, Time } from '../shapes.ts'
import { reads, site, writes } from './access.ts'

export const anomalyTypes = ['volume', 'schema', 'latency'] as const
export type AnomalyType = (typeof anomalyTypes)[number]
export const anomalyStatuses = ['open', 'acknowledged', 'muted', 'closed'] as const

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
  problems: lookupProblems,
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
  problems: [...lookupProblems, 'conflict'],
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
  problems: lookupProblems,
})
