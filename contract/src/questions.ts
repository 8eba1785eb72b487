import { type Static, Type } from 'typebox'
import { RateUsed } from './exchange-rates.ts'
import { type Filter, Filters } from './filters.ts'
import {
  dimensionNames,
  type MathName,
  type MetricName,
  mathNames,
  metricNames,
  timeUnits,
} from './question-terms.ts'
import { Period, periodQuery } from './reads.ts'
import { Dictionary, OneOf } from './shapes.ts'

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
/** A question as text in an address. */
export const questionTextCharactersMax = 16_384

/** Something about the events of one name. */
export type EventMetric = {
  as: string
  /** Any event unless said. */
  event?: string
  math: MathName
  property?: string
  /** What an event must fit to count, besides its name. */
  where?: readonly Filter[]
}
export type FormulaMetric = { as: string; formula: string }
export type Metric = MetricName | EventMetric | FormulaMetric

const metricSays =
  `One of ${metricNames.join(', ')}; or of an event: {"as": "A", "event": "$search", "math": "people"} ` +
  `with ${mathNames.join(', ')}, a "property" from sum on, and conditions in "where"; ` +
  'or a formula over metrics before it: {"as": "C", "formula": "B / A"}'

const dimensionSays =
  `time:${timeUnits.join(', time:')}, ${dimensionNames.join(', ')}, property:<name>; ` +
  `${dimensionsMax} besides one of time`

export type Compare = 'previous' | { from: string; to: string }

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
        description:
          '"previous": as many days before; or a period: {"from": "2026-01-01", "to": "2026-01-31"}',
      }),
    ),
    metrics: Type.Array(Type.Unsafe<Metric>({ description: metricSays }), {
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
      Type.Array(Type.Unsafe<readonly [string, 'asc' | 'desc']>({}), {
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
      isAdditive: Type.Boolean({ description: 'Rows, with that of the others, add up to the total' }),
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
