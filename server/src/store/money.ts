import type { QueryParams } from './events.ts'

/** What a report is in whose site has brought no amount yet; no code of ISO 4217, so no amount is in it. */
export const noCurrency = '-'

/** The currency of a report as answers say it. */
export function currencyOf({ currency }: Pick<Money, 'currency'>): string | null {
  return currency === noCurrency ? null : currency
}

/** How amounts are converted: into one currency, from some others at fixed rates. */
export type Money = {
  currency: string
  /** What one unit of another currency is worth; without the currency itself. */
  rates: readonly { currency: string; rate: number }[]
}

export type MoneySql = {
  /** What an event with an amount is about, in the currency of the report. */
  amount: string
  /** Whether it can be converted at all. */
  isKnown: string
  params: QueryParams
}

/** Amounts of events in the currency of a report: decimals with four places, so that sums are exact. */
export function moneySql({ currency, rates }: Money): MoneySql {
  if (rates.length === 0) {
    return {
      amount: 'assumeNotNull(amount)',
      isKnown: 'currency = {currency:String}',
      params: { currency },
    }
  }
  const stored = 'toFloat64(assumeNotNull(amount))'
  const rate =
    'transform(toString(currency), {moneyCurrencies:Array(String)}, {moneyRates:Array(Float64)}, 0.)'
  return {
    // A number becomes a decimal by cutting off, so half of the last place is added before.
    amount: `toDecimal128(${stored} * ${rate} + if(${stored} < 0, -0.00005, 0.00005), 4)`,
    isKnown: 'currency IN {moneyCurrencies:Array(String)}',
    params: {
      moneyCurrencies: [currency, ...rates.map((one) => one.currency)],
      moneyRates: [1, ...rates.map((one) => one.rate)],
    },
  }
}

/** What one unit of a currency is worth in that of the report; null without a rate. */
export function rateOf(money: Money, currency: string): number | null {
  if (currency === money.currency) return 1
  return money.rates.find((one) => one.currency === currency)?.rate ?? null
}

/** Ten-thousandths, as amounts are stored. */
const scale = 10_000

/** An amount in another currency, to the ten-thousandth, as the store rounds it. */
export function exchanged(amount: number, rate: number): number {
  return rate === 1 ? amount : Math.round(amount * rate * scale) / scale
}

/** Rates have at most so many digits that count; more would be noise of the division. */
const rateScale = 1_000_000_000_000

/** The same of whole units of any size, rounded to the nearest. */
export function exchangedUnits(units: bigint, rate: number): bigint {
  if (rate === 1) return units
  const factor = BigInt(Math.round(rate * rateScale))
  const half = BigInt(rateScale) / 2n
  const product = units * factor
  return (product + (product < 0n ? -half : half)) / BigInt(rateScale)
}
