import { type Static, Type } from 'typebox'
import { route } from './route.ts'
import { OneOf, Time } from './shapes.ts'

/** Longest range a read may cover. */
export const readDaysMax = 400

/** What every analytics read takes. Times are RFC 3339, or a date, which means midnight in `timezone`. */
export const readQuery = {
  siteId: Type.String({ maxLength: 64 }),
  from: Type.Optional(Type.String({ maxLength: 40 })),
  to: Type.Optional(
    Type.String({ maxLength: 40, description: 'Exclusive; a date means the end of that day' }),
  ),
  window: Type.Optional(
    Type.String({ pattern: '^[1-9][0-9]{0,2}d$', description: 'Days up to now, such as 30d' }),
  ),
  timezone: Type.Optional(Type.String({ maxLength: 64, description: "IANA name; default is the site's" })),
  path: Type.Optional(Type.String({ maxLength: 2048 })),
  country: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$' })),
  device: Type.Optional(Type.String({ maxLength: 20 })),
  source: Type.Optional(Type.String({ maxLength: 200 })),
  event: Type.Optional(Type.String({ maxLength: 200 })),
  includeBots: Type.Optional(Type.Boolean({ default: false })),
}

export const Metrics = Type.Object({
  visitors: Type.Integer({ description: 'Distinct people' }),
  sessions: Type.Integer(),
  pageviews: Type.Integer(),
  events: Type.Integer(),
  bounceRate: Type.Number({ description: 'Share of sessions with a single thing happening in them' }),
  avgSessionMs: Type.Number(),
  conversions: Type.Integer({ description: '$purchase, $subscribe and $signup; an order counts once' }),
  conversionRate: Type.Number({ description: 'Share of sessions with a conversion' }),
  revenue: Type.Number({ description: "$purchase and $subscribe less $refund, in the site's currency" }),
  currency: Type.String(),
})
export type Metrics = Static<typeof Metrics>

const Money = Type.Object({ currency: Type.String(), revenue: Type.Number() })
const Period = Type.Object({ from: Time, to: Time, timezone: Type.String() })

const SeriesPoint = Type.Object({
  start: Time,
  visitors: Type.Integer(),
  sessions: Type.Integer(),
  pageviews: Type.Integer(),
  events: Type.Integer(),
  conversions: Type.Integer(),
  revenue: Type.Number(),
})

const Breakdown = Type.Array(
  Type.Object({
    key: Type.String(),
    visitors: Type.Integer(),
    sessions: Type.Integer(),
    events: Type.Integer(),
  }),
)

export const Overview = Type.Object({
  siteId: Type.String(),
  period: Period,
  metrics: Metrics,
  otherCurrencies: Type.Array(Money, {
    description: 'Revenue in currencies other than the site’s, never added up',
  }),
  previous: Type.Object({ period: Period, metrics: Metrics }),
  interval: OneOf(['hour', 'day', 'month']),
  series: Type.Array(SeriesPoint),
  breakdowns: Type.Object({
    pages: Breakdown,
    sources: Breakdown,
    countries: Breakdown,
    devices: Breakdown,
    events: Breakdown,
  }),
  dataQuality: Type.Object({
    warned: Type.Integer(),
    quarantined: Type.Integer(),
    rejected: Type.Integer(),
    botShare: Type.Number({ description: 'Share of stored events that bots sent' }),
  }),
})
export type Overview = Static<typeof Overview>

export const getOverview = route({
  id: 'getOverview',
  method: 'GET',
  path: '/api/analytics/overview',
  plane: 'control',
  access: 'read',
  scope: 'analytics:read',
  rate: 'apiRead',
  tag: 'Analytics',
  summary: 'Overview metrics',
  description:
    'Without from, to or window the last 30 days. The previous period is as long and ends where this begins.',
  query: Type.Object(
    { ...readQuery, interval: Type.Optional(OneOf(['hour', 'day', 'month'])) },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Overview },
  problems: ['unauthenticated', 'insufficient-scope', 'not-found'],
})

export const analyticsRoutes = [getOverview] as const
