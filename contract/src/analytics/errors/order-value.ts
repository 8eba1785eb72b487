import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { filterQuery } from '../../reads.ts'
import { route } from '../../route.ts'
import { exchangeRatesUsed } from '../../sites/exchange-rates.ts'
import { reads, siteId } from './access.ts'
import { impactPeriod, PeriodText } from './figures.ts'

const OrderSide = Type.Object({
  avgOrderValue: Type.Number({ description: 'Of `orders`; 0 where there are none' }),
  conversionRate: Type.Number({ description: 'convertedSessions / sessions' }),
  sessions: Type.Integer({
    description:
      'Sessions that had not bought when the error met them; without the error: as many at the same point',
  }),
  convertedSessions: Type.Number({
    description: 'How many of them bought from there on; without the error: how many are expected to',
  }),
  orders: Type.Integer({ description: 'Orders that avgOrderValue is taken over' }),
})

export const OrderValueCorrelation = Type.Object({
  siteId: Type.String(),
  period: PeriodText,
  currency: Type.Union([Type.String(), Type.Null()]),
  exchangeRates: exchangeRatesUsed,
  correlation: Type.Object({
    errorGroup: Type.String(),
    aovImpact: Type.Object({
      sessionsWithError: OrderSide,
      sessionsWithoutError: OrderSide,
      aovDelta: Type.Number({ description: 'With the error minus without' }),
      conversionDelta: Type.Number({ description: 'With the error minus without' }),
    }),
  }),
})
export type OrderValueCorrelation = Static<typeof OrderValueCorrelation>

export const getOrderValueCorrelation = route({
  ...reads,
  id: 'getOrderValueCorrelation',
  fresh: 'camel',
  method: 'GET',
  path: '/api/v1/errors/order-value-correlation',
  summary: 'Order value and conversion of sessions with an error and of comparable ones without it',
  description:
    'The sessions and rates of the revenue impact: from where the error met them, before any purchase.',
  query: Type.Object(
    {
      siteId,
      errorGroup: Type.String({ minLength: 1, maxLength: 300, description: 'Id or name of the group' }),
      ...impactPeriod,
      ...filterQuery,
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: OrderValueCorrelation },
  problems: lookupProblems,
})
