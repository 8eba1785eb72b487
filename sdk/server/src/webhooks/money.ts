/** Money in an event: major units and an ISO 4217 code. */
export type Money = { amount: number; currency: string }

/** An exact decimal number: `digits` shifted by `scale` places. */
type Decimal = { digits: bigint; scale: number }

// ISO 4217, as of 2026; every other currency has two places.
const isoZero = codes('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF')
const isoThree = codes('BHD IQD JOD KWD LYD OMR TND')
const isoFour = codes('CLF UYW')
/** Stripe's own list of currencies without minor units; Polar's is the same. */
const stripeZero = codes('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF')
const stripeThree = codes('BHD JOD KWD OMR TND')

/** Cal.com's list of currencies without minor units: Stripe's, and the Ugandan shilling. */
const calcomZero = codes('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF')

function codes(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

function isoPlaces(currency: string): number {
  if (isoZero.has(currency)) return 0
  if (isoThree.has(currency)) return 3
  return isoFour.has(currency) ? 4 : 2
}

/** Where Adyen's own table differs from ISO 4217. */
const adyenPlaces: Readonly<Record<string, number>> = { CLP: 2, CVE: 0, IDR: 0, ISK: 2 }

/**
 * Decimal places of an integer amount, by vendor and currency: one vendor sends a krona as 100 and another as
 * 1.
 */
const places = {
  // ISK and UGX have no minor unit but are sent times a hundred.
  stripe: (currency) => (stripeZero.has(currency) ? 0 : stripeThree.has(currency) ? 3 : 2),
  paddle: isoPlaces,
  square: isoPlaces,
  adyen: (currency) => adyenPlaces[currency] ?? isoPlaces(currency),
  razorpay: isoPlaces,
  polar: (currency) => (stripeZero.has(currency) ? 0 : 2),
  // Three-decimal currencies are sent times a hundred too; the exact value is in a sibling field.
  chargebee: (currency) => (isoZero.has(currency) ? 0 : 2),
  github: () => 2,
  calcom: (currency) => (calcomZero.has(currency) ? 0 : 2),
} satisfies Record<string, (currency: string) => number>

export type MinorVendor = keyof typeof places

function readCurrency(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z]{3}$/.test(value) ? value.toUpperCase() : null
}

/** An amount in the vendor's smallest unit, times a quantity; null when it is not exact. */
export function fromMinor(
  vendor: MinorVendor,
  value: unknown,
  currencyCode: unknown,
  quantity: unknown = 1,
): Money | null {
  const currency = readCurrency(currencyCode)
  const minor = readDecimal(value)
  const times = readDecimal(quantity)
  if (currency === null || minor === null || times === null) return null
  return toMoney(multiply(shift(minor, places[vendor](currency)), times), currency)
}

/** An amount in major units, as decimal text or as a number. */
export function fromMajor(value: unknown, currencyCode: unknown): Money | null {
  const currency = readCurrency(currencyCode)
  const decimal = readDecimal(value)
  return currency === null || decimal === null ? null : toMoney(decimal, currency)
}

/** The sum of several amounts in major units; null when one of them cannot be read, or there is none. */
export function sumMajor(values: readonly unknown[], currencyCode: unknown): Money | null {
  const currency = readCurrency(currencyCode)
  const decimals = values.map(readDecimal)
  if (currency === null || decimals.length === 0) return null
  let total: Decimal = { digits: 0n, scale: 0 }
  for (const decimal of decimals) {
    if (decimal === null) return null
    total = add(total, decimal)
  }
  return toMoney(total, currency)
}

function negate({ amount, currency }: Money): Money {
  return { amount: amount === 0 ? 0 : -amount, currency }
}

/** Some vendors send refunds as negative numbers. */
export function positive(money: Money | null): Money | null {
  return money !== null && money.amount < 0 ? negate(money) : money
}

/** A total minus an earlier one, without floating-point error. */
export function difference(total: Money, earlier: number): number {
  const [a, b] = [readDecimal(total.amount), readDecimal(earlier)]
  if (a === null || b === null) return total.amount
  return toNumber(add(a, { ...b, digits: -b.digits })) ?? total.amount
}

/**
 * An amount in minor units whose exponent the vendor documents for two-decimal currencies only: the formatted
 * text decides. Null when both contradict each other, or without such a text in doubt.
 */
export function fromFormatted(value: unknown, currencyCode: unknown, formatted: unknown): Money | null {
  const currency = readCurrency(currencyCode)
  const minor = readDecimal(value)
  if (currency === null || minor === null) return null
  const iso = isoPlaces(currency)
  if (typeof formatted !== 'string') return iso === 2 ? toMoney(shift(minor, 2), currency) : null
  const shown = readingsOf(formatted)
  for (const scale of [iso, 2, 0, 3]) {
    const candidate = shift(minor, scale)
    if (shown.some((reading) => equal(reading, candidate))) return toMoney(candidate, currency)
  }
  return null
}

/** `1.000` is a thousand or one, depending on the locale, so both readings are kept. */
function readingsOf(formatted: string): Decimal[] {
  const body = /-?\d[\d.,\s\u00a0\u202f']*/.exec(formatted)?.[0].trim() ?? ''
  const last = Math.max(body.lastIndexOf('.'), body.lastIndexOf(','))
  const digitsOf = (text: string) => text.replace(/[^\d-]/g, '')
  const whole = readDecimal(digitsOf(body))
  if (last === -1) return whole === null ? [] : [whole]
  const split = readDecimal(`${digitsOf(body.slice(0, last))}.${digitsOf(body.slice(last + 1))}`)
  return [whole, split].filter((reading) => reading !== null)
}

/** A number that JSON cannot represent exactly is not an amount. */
function readDecimal(value: unknown): Decimal | null {
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return null
    return readDecimal(plainText(value))
  }
  if (typeof value !== 'string') return null
  const match = /^([+-]?)(\d{1,30})(?:\.(\d{1,30}))?$/.exec(value.trim())
  if (match === null) return null
  const [, sign, whole = '', fraction = ''] = match
  const digits = BigInt(whole + fraction)
  return { digits: sign === '-' ? -digits : digits, scale: fraction.length }
}

/** The shortest decimal text of this number, without an exponent. */
function plainText(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(20) : text
}

function shift({ digits, scale }: Decimal, by: number): Decimal {
  return { digits, scale: scale + by }
}

function multiply(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale }
}

function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { digits: atScale(a, scale) + atScale(b, scale), scale }
}

function equal(a: Decimal, b: Decimal): boolean {
  const scale = Math.max(a.scale, b.scale)
  return atScale(a, scale) === atScale(b, scale)
}

function atScale({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale)
}

function toMoney(decimal: Decimal, currency: string): Money | null {
  const amount = toNumber(decimal)
  return amount === null ? null : { amount, currency }
}

/** The nearest number, which must print as the same decimal; null beyond 15 digits, where it would not. */
function toNumber({ digits, scale }: Decimal): number | null {
  const isNegative = digits < 0n
  const text = (isNegative ? -digits : digits).toString().padStart(scale + 1, '0')
  const whole = text.slice(0, text.length - scale)
  const fraction = text.slice(text.length - scale).replace(/0+$/, '')
  if (`${whole}${fraction}`.replace(/^0+/, '').length > 15) return null
  const amount = Number(fraction === '' ? whole : `${whole}.${fraction}`)
  return isNegative && amount !== 0 ? -amount : amount
}
