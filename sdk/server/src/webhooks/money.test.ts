import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldFact, type Memory } from './facts.ts'
import { fromFormatted, fromMajor, fromMinor, type MinorVendor, sumMajor } from './money.ts'
import type { Fact } from './normal-form.ts'

/** What 123,450 in a payload is worth, by the tables of each vendor. */
const worth: Record<MinorVendor, Record<string, number>> = {
  stripe: {
    USD: 1234.5,
    JPY: 123_450,
    KWD: 123.45,
    ISK: 1234.5,
    CLP: 123_450,
    IDR: 1234.5,
    UGX: 1234.5,
    HUF: 1234.5,
    MGA: 123_450,
  },
  paddle: { USD: 1234.5, JPY: 123_450, KWD: 123.45, ISK: 123_450, CLP: 123_450, IDR: 1234.5, UGX: 123_450 },
  square: { USD: 1234.5, JPY: 123_450, KWD: 123.45, ISK: 123_450, CLP: 123_450, IDR: 1234.5, UGX: 123_450 },
  adyen: {
    USD: 1234.5,
    JPY: 123_450,
    KWD: 123.45,
    ISK: 1234.5,
    CLP: 1234.5,
    IDR: 123_450,
    UGX: 123_450,
    CVE: 123_450,
  },
  razorpay: {
    INR: 1234.5,
    JPY: 123_450,
    KWD: 123.45,
    ISK: 123_450,
    CLP: 123_450,
    IDR: 1234.5,
    UGX: 123_450,
    MGA: 1234.5,
  },
  polar: { USD: 1234.5, JPY: 123_450, KWD: 1234.5, ISK: 1234.5, CLP: 123_450, IDR: 1234.5, UGX: 1234.5 },
  chargebee: {
    USD: 1234.5,
    JPY: 123_450,
    KWD: 1234.5,
    ISK: 123_450,
    CLP: 123_450,
    IDR: 1234.5,
    UGX: 123_450,
  },
  github: { USD: 1234.5 },
  calcom: { USD: 1234.5, JPY: 123_450, KWD: 1234.5, ISK: 1234.5, CLP: 123_450, IDR: 1234.5, UGX: 123_450 },
}

describe.each(Object.entries(worth))('an amount of %s', (vendor, byCurrency) => {
  test.each(Object.entries(byCurrency))('in %s is worth %d', (currency, amount) => {
    const isVendor = (name: string): name is MinorVendor => Object.hasOwn(worth, name)
    if (!isVendor(vendor)) throw new Error(vendor)
    for (const value of [123_450, '123450']) {
      expect(fromMinor(vendor, value, currency.toLowerCase())).toEqual({ amount, currency })
    }
  })
})

describe('an amount in major units', () => {
  test.each([
    ['JPY', '1500', 1500],
    ['KWD', '1.255', 1.255],
    ['ISK', '1500', 1500],
    ['CLP', '1500', 1500],
    ['IDR', '15000.00', 15_000],
    ['UGX', '1500', 1500],
    ['USD', '0.10', 0.1],
    ['USD', 650, 650],
    ['USD', 1e-7, 1e-7],
  ])('of %s %s stays %d', (currency, value, amount) => {
    expect(fromMajor(value, currency)).toEqual({ amount, currency })
  })

  test.each([
    ['EUR', '1,50'],
    ['EUR', '1.2.3'],
    ['EUR', ''],
    ['EUR', 'NaN'],
    ['EUR', null],
    ['EUR', Infinity],
    ['EURO', '1'],
    [undefined, '1'],
  ])('of %s %s is none', (currency, value) => expect(fromMajor(value, currency)).toBeNull())
})

describe('an amount whose unit the vendor does not state', () => {
  test.each([
    [1000, 'USD', '$10.00', 10],
    [1000, 'USD', undefined, 10],
    [1000, 'JPY', '¥1,000', 1000],
    [100_000, 'JPY', '¥1,000', 1000],
    [1500, 'KWD', 'KWD 1.500', 1.5],
    [150, 'KWD', 'KWD 1.50', 1.5],
    [123_456, 'EUR', '€1.234,56', 1234.56],
    [150_000, 'ISK', 'ISK 1,500', 1500],
    [1500, 'CLP', 'CLP 1.500', 1500],
    [1_500_000, 'IDR', 'Rp 15.000,00', 15_000],
    [1500, 'UGX', 'UGX 1,500', 1500],
  ])('%d %s, shown as %s, is worth %d', (value, currency, formatted, amount) => {
    expect(fromFormatted(value, currency, formatted)).toEqual({ amount, currency })
  })

  test.each(['JPY', 'KWD', 'ISK', 'CLP', 'UGX'])('is not guessed in %s when nothing shows it', (currency) => {
    expect(fromFormatted(1000, currency, undefined)).toBeNull()
  })

  test('is not taken when the text contradicts it', () => {
    expect(fromFormatted(1000, 'USD', '$9.99')).toBeNull()
  })
})

describe('amounts are exact', () => {
  const integer = fc.integer({ min: -99_999_999_999, max: 99_999_999_999 })

  test('an integer of cents prints as the decimal it stands for', () => {
    fc.assert(
      fc.property(integer, (cents) => {
        const digits = String(Math.abs(cents)).padStart(3, '0')
        const text = `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
        expect(fromMinor('stripe', cents, 'USD')?.amount).toBe(Number(text))
        expect(fromMajor(text, 'USD')?.amount).toBe(Number(text))
      }),
    )
  })

  test('sums and multiples have no rest', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 999_999 }), { minLength: 1, maxLength: 20 }),
        (cents) => {
          const texts = cents.map((value) => (value / 100).toFixed(2))
          const total = cents.reduce((sum, value) => sum + value, 0)
          expect(sumMajor(texts, 'USD')?.amount).toBe(total / 100)
        },
      ),
    )
    expect(fromMinor('stripe', 1099, 'USD', 3)).toEqual({ amount: 32.97, currency: 'USD' })
    expect(fromMinor('stripe', '0.5', 'USD', 3)).toEqual({ amount: 0.015, currency: 'USD' })
  })

  test('an inexact amount is omitted', () => {
    for (const value of [2 ** 53, 2 ** 60, 1e21, Number.NaN, '9'.repeat(20)]) {
      expect(fromMinor('stripe', value, 'USD')).toBeNull()
    }
    expect(sumMajor([], 'USD')).toBeNull()
    expect(sumMajor(['1.00', 'x'], 'USD')).toBeNull()
  })
})

describe('facts spread over several deliveries', () => {
  const plan = (asOf: number, name: string, isStart = false): Fact => ({
    kind: 'subscription',
    id: '7',
    asOf,
    who: { vendorId: 'c' },
    plan: name,
    isStart,
  })
  const price: Fact = {
    kind: 'subscription',
    id: '7',
    asOf: 1,
    who: { email: 'e' },
    price: { amount: 9.99, currency: 'USD' },
  }
  const play = (facts: readonly Fact[]) => {
    let memory: Memory | null = null
    const events = facts.flatMap((fact) => {
      const folded = foldFact(memory, fact)
      memory = folded.memory
      return folded.events
    })
    return events
  }

  test('make one start, whichever comes first and however often', () => {
    const start = plan(1, 'Pro', true)
    const whole = play([start, price])
    expect(whole).toMatchObject([
      {
        event: '$subscribe',
        key: 'subscription:7:started',
        properties: { plan: 'Pro', amount: 9.99, currency: 'USD' },
      },
    ])
    expect(play([price, start])).toEqual(whole)
    expect(play([price, price, start, start, price])).toEqual(whole)
  })

  test('give a change of plan when the previous plan is known, and none for a late or repeated delivery', () => {
    const start = plan(1, 'Pro', true)
    expect(play([start, plan(5, 'Max')])).toMatchObject([
      { event: '$upgrade', properties: { from_plan: 'Pro', to_plan: 'Max' } },
    ])
    expect(play([start, plan(5, 'Max'), plan(5, 'Max'), plan(3, 'Solo'), start])).toHaveLength(1)
    expect(play([plan(5, 'Max')])).toEqual([])
  })

  test('make of sums of refunds what came on top', () => {
    const sum = (amount: number, asOf: number): Fact => ({
      kind: 'refunded',
      orderId: '5',
      total: { amount, currency: 'USD' },
      asOf,
      who: {},
    })
    const events = play([sum(0.1, 1), sum(0.1, 1), sum(0.3, 2), sum(0.1, 1)])
    expect(events.map(({ properties }) => properties.amount)).toEqual([0.1, 0.2])
  })
})
