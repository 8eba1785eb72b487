import { type Static, Type } from 'typebox'
import { Period } from '../reads.ts'
import { Dictionary, OneOf } from '../shapes.ts'
import { RateUsed } from '../sites/exchange-rates.ts'
import { metricUnits } from './question-terms.ts'

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

export const Unit = OneOf(metricUnits)

/** In a warning about amounts whose currency has no exchange rate. */
export const missingRateWords = 'there is no exchange rate into'

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
