import { type Static, Type } from 'typebox'
import { RateUsed } from './exchange-rates.ts'
import { flowRoutes } from './flows.ts'
import { funnelRoutes } from './funnels.ts'
import { filterQuery, formatQuery, Period, readQuery } from './reads.ts'
import { route } from './route.ts'
import { OneOf, Time } from './shapes.ts'

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

const Converted = Type.Object({
  ...RateUsed.properties,
  amount: Type.Number({ description: 'In that currency' }),
  revenue: Type.Number({ description: "In the site's" }),
})

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
  retainedSince: Type.Union([Time, Type.Null()], {
    description:
      'Events before this were removed by the retention of the site: no drop, but a cut; null: none were',
  }),
  metrics: Metrics,
  otherCurrencies: Type.Array(Money, {
    description: 'Revenue in currencies other than the site’s that have no exchange rate, never added up',
  }),
  convertedCurrencies: Type.Array(Converted, {
    description: 'Revenue in other currencies that is counted in, by the exchange rates of the workspace',
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
    botEvents: Type.Integer({ description: 'Stored events that bots sent; no other figure counts them' }),
  }),
})
export type Overview = Static<typeof Overview>

export const getOverview = route({
  id: 'getOverview',
  fresh: 'camel',
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
    {
      ...readQuery,
      ...formatQuery,
      interval: Type.Optional(OneOf(['hour', 'day', 'month'])),
      table: Type.Optional(
        OneOf(['series', 'pages', 'sources', 'countries', 'devices', 'events'], {
          description: 'What the CSV holds; the series unless said',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  csv: true,
  success: { status: 200, body: Overview },
  problems: ['unauthenticated', 'insufficient-scope', 'not-found'],
})

export const Live = Type.Object({
  siteId: Type.String(),
  at: Time,
  windowMs: Type.Integer({ description: 'How far back counts as now' }),
  visitors: Type.Integer(),
  sessions: Type.Integer(),
  pageviews: Type.Integer(),
  events: Type.Integer(),
  pages: Type.Array(Type.Object({ path: Type.String(), visitors: Type.Integer() }), {
    description: 'Where the visitors looked last, most first; at most 20',
  }),
})
export type Live = Static<typeof Live>

export const getLive = route({
  id: 'getLive',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/live',
  plane: 'control',
  access: 'read',
  scope: 'analytics:read',
  rate: 'apiRead',
  tag: 'Analytics',
  summary: 'Live visitors',
  description: 'People with an event in the last five minutes, by the time of the event.',
  query: Type.Object({ siteId: readQuery.siteId, ...filterQuery }, { additionalProperties: false }),
  success: { status: 200, body: Live },
  problems: ['unauthenticated', 'insufficient-scope', 'not-found'],
})

export const analyticsRoutes = [getOverview, getLive, ...flowRoutes, ...funnelRoutes] as const
