import { type Static, Type } from 'typebox'
import { accessProblems, lookupProblems } from '../problems.ts'
import { questionRoutes } from '../questions/questions.ts'
import { filterQuery, formatQuery, Period, periodQuery, readQuery } from '../reads.ts'
import { route } from '../route.ts'
import { OneOf, Time } from '../shapes.ts'
import { RateUsed } from '../sites/exchange-rates.ts'
import { analyticsReads } from './access.ts'
import { flowRoutes } from './flows.ts'
import { funnelRoutes } from './funnels/funnels.ts'

const CountOrNull = Type.Union([Type.Integer(), Type.Null()])
const Reason = Type.Optional(Type.String())
const reasonsSay = { description: 'Why a figure is null, by its name' }

/** With filters: of the sessions that have a matching event; page views and events are the matching ones. */
export const Metrics = Type.Object({
  visitors: Type.Integer({ description: 'Distinct people' }),
  sessions: Type.Integer(),
  pageviews: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Those that match the filters; null where the filters ask for other events',
  }),
  events: Type.Integer({ description: 'Those that match the filters' }),
  bounceRate: Type.Union([Type.Number(), Type.Null()], {
    description: 'Share of sessions with a single thing happening in them; null without sessions',
  }),
  avgSessionMs: Type.Union([Type.Number(), Type.Null()], { description: 'Null without sessions' }),
  conversions: Type.Integer({ description: '$purchase, $subscribe and $signup; an order counts once' }),
  conversionRate: Type.Union([Type.Number(), Type.Null()], {
    description: 'Share of sessions with a conversion; null without sessions',
  }),
  revenue: Type.Number({ description: "$purchase and $subscribe less $refund, in the site's currency" }),
  currency: Type.Union([Type.String(), Type.Null()], {
    description: 'Null until the first amount of the site arrives',
  }),
  reasons: Type.Object(
    { pageviews: Reason, bounceRate: Reason, avgSessionMs: Reason, conversionRate: Reason },
    reasonsSay,
  ),
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
  isComplete: Type.Boolean({
    description: 'False where the interval still runs, or the period holds a part of it only',
  }),
  visitors: Type.Integer(),
  sessions: Type.Integer(),
  pageviews: CountOrNull,
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

/** Verdicts are counted by event name only. */
export const DataQuality = Type.Object({
  warned: CountOrNull,
  quarantined: CountOrNull,
  rejected: CountOrNull,
  botShare: Type.Union([Type.Number(), Type.Null()], {
    description: 'Share of stored events that bots sent; null where none were stored',
  }),
  botEvents: Type.Integer({ description: 'Stored events that bots sent; no other figure counts them' }),
  reasons: Type.Object(
    { warned: Reason, quarantined: Reason, rejected: Reason, botShare: Reason },
    reasonsSay,
  ),
})

const overviewIntervals = ['hour', 'day', 'month'] as const

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
  currencies: Type.Object({
    seen: Type.Array(Type.String(), { description: 'Of all amounts in the period' }),
    withoutRate: Type.Array(Type.String(), {
      description: 'Those that are not in the revenue until an exchange rate is set',
    }),
  }),
  previous: Type.Object({ period: Period, metrics: Metrics }),
  interval: OneOf(overviewIntervals),
  series: Type.Array(SeriesPoint),
  breakdowns: Type.Object({
    pages: Breakdown,
    sources: Breakdown,
    countries: Breakdown,
    devices: Breakdown,
    events: Breakdown,
  }),
  dataQuality: DataQuality,
})
export type DataQuality = Static<typeof DataQuality>
export type Overview = Static<typeof Overview>

export const getOverview = route({
  id: 'getOverview',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/overview',
  ...analyticsReads,
  summary: 'Overview metrics',
  description:
    'Without from, to or window the last 30 days. ' +
    'Filters choose sessions: those with an event that matches all of them. ' +
    'The previous period has as many days and ends at the same time of day, right before the period or, with ' +
    'compare=year, a year before it.',
  query: Type.Object(
    {
      ...readQuery,
      ...formatQuery,
      interval: Type.Optional(OneOf(overviewIntervals)),
      compare: Type.Optional(
        OneOf(['previous', 'year'], {
          description: 'What "previous" is: the days right before, or the same days a year before',
        }),
      ),
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
  problems: lookupProblems,
})

export const Live = Type.Object({
  siteId: Type.String(),
  at: Time,
  windowMs: Type.Integer({ description: 'How far back counts as now' }),
  visitors: Type.Integer(),
  sessions: Type.Integer(),
  pageviews: CountOrNull,
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
  ...analyticsReads,
  summary: 'Live visitors',
  description: 'People with an event in the last five minutes, by the time of the event.',
  query: Type.Object({ siteId: readQuery.siteId, ...filterQuery }, { additionalProperties: false }),
  success: { status: 200, body: Live },
  problems: lookupProblems,
})

/** Sites in one answer: each is a part of the statements, since it has its own time zone, back-fills and merges. */
export const siteFiguresMax = 30

export const SiteFigures = Type.Object({
  siteId: Type.String(),
  name: Type.String(),
  domain: Type.String(),
  period: Period,
  visitors: Type.Integer(),
  previousVisitors: Type.Integer({ description: 'In the period before, as in the overview' }),
  series: Type.Array(Type.Object({ start: Time, isComplete: Type.Boolean(), visitors: Type.Integer() }), {
    description: 'By hour up to two days, by day up to 92 days, by month beyond',
  }),
  liveVisitors: Type.Integer({ description: 'With an event in the last five minutes' }),
  heldShare: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
    description: 'Quarantined events of all that came in the period; null where none came',
  }),
})
export type SiteFigures = Static<typeof SiteFigures>

export const listSiteFigures = route({
  id: 'listSiteFigures',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/sites',
  ...analyticsReads,
  summary: 'Visitors of all sites, the most visited first',
  description: `The figures of the overview for up to ${siteFiguresMax} sites, each in its own time zone unless one is given; of more sites, the oldest.`,
  query: Type.Object(periodQuery, { additionalProperties: false }),
  success: {
    status: 200,
    body: Type.Object({
      sites: Type.Array(SiteFigures),
      total: Type.Integer({ description: 'Sites of the workspace' }),
    }),
  },
  problems: accessProblems,
})

export const analyticsRoutes = [
  getOverview,
  getLive,
  listSiteFigures,
  ...questionRoutes,
  ...flowRoutes,
  ...funnelRoutes,
] as const
