import { type Static, Type } from 'typebox'
import { formatQuery, Period, periodQuery } from '../reads.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf } from '../shapes.ts'
import { RateUsed } from '../sites/exchange-rates.ts'
import { type Filter, Filters } from './filters.ts'
import { ofShape } from './question-shapes.ts'
import {
  dimensionTypes,
  knownDimensions,
  type MathName,
  type MetricName,
  mathNames,
  metricNames,
} from './question-terms.ts'

/** Metrics, events and formulas of one question. */
export const metricsMax = 20
/** Besides time. */
export const dimensionsMax = 3
/** Groups of values in the answer; each has a row for every interval. */
export const groupsMax = 1_000
export const groupsDefault = 20
/** Rows of an answer: groups times intervals. */
export const answerRowsMax = 50_000
export const orderByMax = 4
export const formulaCharactersMax = 200
export const rollingPointsMax = 90
/** Properties that are suggested. */
export const suggestedPropertiesMax = 500
export const suggestedTraitsMax = 200
/** A question as text in an address. */
export const questionTextCharactersMax = 16_384

/** Something about the events of one name. */
export type EventMetric = {
  as: string
  /** Any event unless said. */
  event?: string
  /** Instead of an event: those that reach this goal. */
  goal?: string
  math: MathName
  property?: string
  /** What an event must fit to count, besides its name. */
  where?: readonly Filter[]
}
export type FormulaMetric = { as: string; formula: string }
export type Metric = MetricName | EventMetric | FormulaMetric

const metricSays =
  `One of ${metricNames.join(', ')}; or of an event: {"as": "A", "event": "$search", "math": "people"} ` +
  `with ${mathNames.join(', ')}, a "property" from sum on, and conditions in "where"; with "goal": "goal_…" instead ` +
  'of "event" those that reach a goal; ' +
  'or a formula over metrics before it: {"as": "C", "formula": "B / A"}'

const dimensionSays =
  `${knownDimensions.join(', ')}; ${dimensionsMax} besides one of time. ` +
  'Traits need the scope identity:read'

export type Compare = 'previous' | 'year' | { from: string; to: string }

/**
 * One question about the events of a site. Its members are checked by `readQuestion`, which says where something is
 * wrong and what is known there; this is what they are.
 */
export const Question = Type.Object(
  {
    siteId: Type.String({ maxLength: 64 }),
    ...periodQuery,
    compare: Type.Optional(
      Type.Unsafe<Compare>({
        ...ofShape('Compare'),
        description:
          '"previous": as many days before; "year": the same days a year before; or a period: ' +
          '{"from": "2026-01-01", "to": "2026-01-31"}',
      }),
    ),
    metrics: Type.Array(Type.Unsafe<Metric>({ ...ofShape('Metric'), description: metricSays }), {
      minItems: 1,
      maxItems: metricsMax,
    }),
    dimensions: Type.Optional(
      Type.Array(Type.String({ maxLength: 300, description: dimensionSays }), {
        maxItems: dimensionsMax + 1,
      }),
    ),
    filters: Type.Optional(Filters),
    orderBy: Type.Optional(
      Type.Array(Type.Unsafe<readonly [string, 'asc' | 'desc']>(ofShape('Order')), {
        maxItems: orderByMax,
        description: 'Pairs: [["visitors", "desc"]]. The first metric, most first, unless said',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: groupsMax, default: groupsDefault })),
    other: Type.Optional(
      Type.Boolean({ description: 'A row for everything beyond the limit, as one group', default: false }),
    ),
    cumulative: Type.Optional(
      Type.Boolean({ description: 'Each interval with all before it in the period', default: false }),
    ),
    rolling: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: rollingPointsMax,
        description: 'Each interval with so many, itself as the last: 7 with time:day is a rolling week',
      }),
    ),
    includeBots: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false },
)
export type Question = Static<typeof Question>

export const questionMembers = Object.keys(Question.properties)

const Figures = Dictionary(Type.Union([Type.Number(), Type.Null()]), {
  description: 'By the name of the metric; null where there is nothing to compute it from',
})

const AnswerRow = Type.Object({
  dimensions: Type.Array(Type.Union([Type.String(), Type.Null()]), {
    description:
      'In the order asked for. Time is the start of the interval; null: not set, or the row of the others',
  }),
  isOther: Type.Boolean({ description: 'All groups beyond the limit, as one' }),
  isComplete: Type.Union([Type.Boolean(), Type.Null()], {
    description:
      'False where the interval still runs, or the period has only a part of it; null without time',
  }),
  metrics: Figures,
  comparison: Type.Union([Figures, Type.Null()], {
    description: 'The same row of the compared period; null where none is compared',
  }),
})

const Unit = OneOf(['count', 'number', 'share', 'ms', 'money'])

export const Answer = Type.Object({
  siteId: Type.String(),
  period: Period,
  comparedPeriod: Type.Union([Period, Type.Null()]),
  metrics: Type.Array(
    Type.Object({
      name: Type.String(),
      unit: Unit,
      isAdditive: Type.Boolean({
        description: 'Rows, with that of the others, add up to the total; never by audience',
      }),
    }),
  ),
  dimensions: Type.Array(Type.String()),
  currency: Type.Union([Type.String(), Type.Null()], { description: 'Of metrics that are money' }),
  exchangeRates: Type.Array(RateUsed),
  rows: Type.Array(AnswerRow),
  totals: Type.Object(
    { metrics: Figures, comparison: Type.Union([Figures, Type.Null()]) },
    {
      description: 'Over everything, whether a row shows it or not; of the whole period',
    },
  ),
  hasMore: Type.Boolean({ description: 'There are groups beyond the limit' }),
  warnings: Type.Array(Type.String(), {
    description: 'What to know before trusting a figure, such as events without the property',
  }),
  sampledShare: Type.Number({
    description: 'Share of the events that were read; always 1 so far: nothing is sampled',
  }),
})
export type Answer = Static<typeof Answer>
export type AnswerRow = Answer['rows'][number]

const shared = {
  plane: 'control',
  access: 'read',
  scope: 'analytics:read',
  rate: 'apiRead',
  tag: 'Analytics',
  problems: ['unauthenticated', 'insufficient-scope', 'not-found'],
} as const

const answerSays =
  'Filters choose visits: those with an event that fits all of them. A row has the events of these visits with its ' +
  'values; visits and people are counted in every row in which they have one. Totals are over everything. A question ' +
  'that takes more than 10 s is refused.'

export const runQuery = route({
  ...shared,
  id: 'runQuery',
  fresh: 'camel',
  method: 'POST',
  path: '/api/analytics/query',
  summary: 'Ask a question about events',
  description: answerSays,
  body: Type.Object({ ...Question.properties, ...formatQuery }, { additionalProperties: false }),
  csv: true,
  success: { status: 200, body: Answer },
})

export const getQuery = route({
  ...shared,
  id: 'getQuery',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/query',
  summary: 'Ask a question by its address',
  description: `The same with the question as JSON in \`q\`. ${answerSays}`,
  query: Type.Object(
    {
      q: Type.String({ maxLength: questionTextCharactersMax, description: 'The question as JSON' }),
      ...formatQuery,
    },
    { additionalProperties: false },
  ),
  csv: true,
  success: { status: 200, body: Answer },
})

const Described = { name: Type.String(), description: Type.String() }

export const Suggestions = Type.Object({
  siteId: Type.String(),
  metrics: Type.Array(Type.Object({ ...Described, unit: Unit, isAdditive: Type.Boolean() })),
  maths: Type.Array(Type.Object({ ...Described, unit: Unit, needsProperty: Type.Boolean() })),
  operators: Type.Array(
    Type.Object({
      ...Described,
      takes: OneOf(['values', 'nothing', 'limit', 'range', 'patterns']),
      types: Type.Array(OneOf(dimensionTypes), {
        description: 'Types of dimensions for which it can be used',
      }),
    }),
  ),
  dimensions: Type.Array(
    Type.Object({
      ...Described,
      type: OneOf(['time', ...dimensionTypes]),
      of: OneOf(['event', 'visit', 'person', 'time'], {
        description: 'Each event has a value of its own, or all events of a visit or person have the same',
      }),
    }),
  ),
  events: Type.Array(Type.String(), { description: 'Names of events, most frequent first' }),
  goals: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'For metrics and for the filter reached',
  }),
  properties: Type.Array(
    Type.Object({
      name: Type.String({ description: 'As a dimension: property:plan' }),
      types: Type.Array(OneOf(['string', 'number', 'boolean', 'array', 'object']), {
        description: 'As the contracts of the events say, or else as they were seen',
      }),
      isInContract: Type.Boolean({ description: 'A contract says so' }),
      events: Type.Array(Type.String(), { description: 'Events that have it, most frequent first' }),
    }),
    { description: `Of recent events; ${suggestedPropertiesMax} at most` },
  ),
  traits: Type.Array(
    Type.Object({
      name: Type.String({ description: 'As a dimension: trait:plan' }),
      types: Type.Array(OneOf(['string', 'number', 'boolean', 'array', 'object'])),
    }),
    {
      description: `Of people, most frequent first; ${suggestedTraitsMax} at most, and none without identity:read`,
    },
  ),
  audiences: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'For the filter inAudience; by name they are values of the dimension audience',
  }),
})
export type Suggestions = Static<typeof Suggestions>

export const listDimensions = route({
  ...shared,
  id: 'listDimensions',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/dimensions',
  summary: 'What can be asked',
  description:
    'Metrics, maths, operators and dimensions, and the properties of the latest events of the site.',
  query: Type.Object({ siteId: Question.properties.siteId }, { additionalProperties: false }),
  success: { status: 200, body: Suggestions },
})

export const DimensionValues = Type.Object({
  siteId: Type.String(),
  dimension: Type.String(),
  values: Type.Array(
    Type.Object({
      value: Type.String(),
      events: Type.Integer({ description: 'Events with it in the period' }),
    }),
    { description: 'Most frequent first' },
  ),
})
export type DimensionValues = Static<typeof DimensionValues>

export const listValues = route({
  ...shared,
  id: 'listValues',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/values',
  summary: 'Values of a dimension',
  description:
    'Those that most events of the period have, to choose from; of entryPage and exitPage any page viewed.',
  query: Type.Object(
    {
      siteId: Question.properties.siteId,
      ...periodQuery,
      dimension: Type.String({ maxLength: 300, description: dimensionSays }),
      search: Type.Optional(Type.String({ maxLength: 200, description: 'A part of the value, in any case' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
      includeBots: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: DimensionValues },
})

export const questionRoutes = [runQuery, getQuery, listDimensions, listValues] as const
