import { type Static, Type } from 'typebox'
import { accessProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Time } from '../shapes.ts'

/** ISO 4217 has about 180 currencies. */
const ratesMax = 200
/** No real exchange rate is outside these limits. */
const rateMin = 0.000_000_1
const rateMax = 10_000_000

const code = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217' })

/** What one unit of a currency is worth in the base. */
export const ExchangeRate = Type.Object(
  { currency: code, rate: Type.Number({ minimum: rateMin, maximum: rateMax }) },
  { additionalProperties: false },
)
export type ExchangeRate = Static<typeof ExchangeRate>

/** The rate between two currencies, neither of which has to be the base. */
export const RateUsed = Type.Object({ currency: Type.String(), rate: Type.Number() })
/** For reads that contain money. */
export const exchangeRatesUsed = Type.Array(RateUsed, {
  description: 'Amounts in these currencies are counted in, at these rates; in all others they are left out',
})

export const ExchangeRates = Type.Object({
  base: Type.Union([Type.String(), Type.Null()], {
    description: 'The base currency of the rates; null if none were ever set',
  }),
  rates: Type.Array(ExchangeRate),
  updatedAt: Type.Union([Time, Type.Null()]),
})
export type ExchangeRates = Static<typeof ExchangeRates>

const base = { plane: 'control', tag: 'Sites' } as const

export const getExchangeRates = route({
  ...base,
  id: 'getExchangeRates',
  method: 'GET',
  path: '/api/v1/exchange-rates',
  access: 'read',
  scope: 'sites:read',
  rate: 'apiRead',
  summary: 'The fixed exchange rates of the workspace',
  success: { status: 200, body: ExchangeRates },
  problems: accessProblems,
})

export const setExchangeRates = route({
  ...base,
  id: 'setExchangeRates',
  method: 'POST',
  path: '/api/v1/exchange-rates',
  access: 'write',
  scope: 'sites:write',
  rate: 'apiWrite',
  summary: 'Set the fixed exchange rates of the workspace',
  description:
    'A rate says what one unit is worth in the base. All rates are replaced; an empty list takes them away. Stored ' +
    'amounts stay as they came: reports convert them into the currency of their site when they are read.',
  body: Type.Object(
    { base: code, rates: Type.Array(ExchangeRate, { maxItems: ratesMax }) },
    { additionalProperties: false },
  ),
  success: { status: 200, body: ExchangeRates },
  audit: { action: 'exchange_rates.changed', details: ['base', 'rates'] },
  invalidates: 'reports',
  problems: accessProblems,
})

export const exchangeRateRoutes = [getExchangeRates, setExchangeRates] as const
