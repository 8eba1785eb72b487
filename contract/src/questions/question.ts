import { type Static, Type } from 'typebox'
import { periodQuery } from '../reads.ts'
import { type Filter, Filters } from './filters/filters.ts'
import {
  dimensionsMax,
  groupsDefault,
  groupsMax,
  metricsMax,
  orderByMax,
  rollingPointsMax,
} from './question-limits.ts'
import { ofShape } from './question-shapes.ts'
import { knownDimensions, type MathName, type MetricName, mathNames, metricNames } from './question-terms.ts'

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

export const dimensionSays =
  `${knownDimensions.join(', ')}; ${dimensionsMax} besides one of time. ` +
  'Traits need the scope identity:read'

type Compare = 'previous' | 'year' | { from: string; to: string }

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
