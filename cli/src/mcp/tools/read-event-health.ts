import {
  Anomaly,
  anomalyStatuses,
  anomalyTypes,
  EventHealth,
  healthStatuses,
  listAnomalies,
  listEventHealth,
  OneOf,
  Time,
} from '@assay/contract'
import { Type } from 'typebox'
import { tool } from '../tool.ts'

const siteId = Type.Optional(
  Type.String({ maxLength: 64, description: 'From list_sites; the whole workspace otherwise' }),
)
const eventsDefault = 20
const eventsMax = 100
/** Most urgent first. */
const worstFirst: readonly EventHealth['status'][] = ['failing', 'degraded', 'silent', 'healthy']

export const readEventHealth = tool({
  name: 'read_event_health',
  title: 'Read event health',
  description:
    'Which events pass the gate and which do not: volume compared with the usual, how many were warned, quarantined ' +
    'or rejected, repeats and delay; the worst first. Use it before and after a release, or when someone says that ' +
    'an event is missing.',
  input: Type.Object(
    {
      site_id: siteId,
      status: Type.Optional(OneOf(healthStatuses)),
      window: Type.Optional(
        Type.String({
          pattern: '^([1-9]|[12][0-9]|3[01])d$',
          default: '7d',
          description: 'Days up to now, such as 7d',
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: eventsMax, default: eventsDefault })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    period: Type.Object({ from: Time, to: Time }),
    summary: Type.Record(Type.String(), Type.Integer(), { description: 'Events by status' }),
    events: Type.Array(EventHealth),
  }),
  effect: 'reads',
  async run({ site_id, status, window, limit = eventsDefault }, { client }) {
    const query = { ...(site_id !== undefined && { site_id }), ...(window !== undefined && { window }) }
    const { period, summary, data } = await client.call(listEventHealth, { query })
    const rank = (event: EventHealth) => worstFirst.indexOf(event.status)
    const events = data
      .filter((event) => status === undefined || event.status === status)
      .toSorted((a, b) => rank(a) - rank(b))
    return { period, summary, events: events.slice(0, limit) }
  },
})

export const readAnomalies = tool({
  name: 'read_anomalies',
  title: 'Read anomalies',
  description:
    'Anomalies in volume, schema and latency, newest first: what was seen, what was expected, since when, and which ' +
    'release, SDK, source or contract version is suspected. Continues by cursor.',
  input: Type.Object(
    {
      site_id: siteId,
      status: Type.Optional(OneOf(anomalyStatuses)),
      type: Type.Optional(OneOf(anomalyTypes)),
      event: Type.Optional(Type.String({ maxLength: 200, description: 'Key of an event' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: eventsMax, default: eventsDefault })),
      cursor: Type.Optional(Type.String({ maxLength: 200 })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    anomalies: Type.Array(Anomaly),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  }),
  effect: 'reads',
  async run({ limit = eventsDefault, ...given }, { client }) {
    const { data, next_cursor } = await client.call(listAnomalies, { query: { ...given, limit } })
    return { anomalies: data, next_cursor }
  },
})
