import {
  compileContracts,
  compileMapping,
  type EventContract,
  judgeReading,
  readTrack,
} from '@assay/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inferProperties } from './inference.ts'

const many = (count: number, make: (at: number) => Record<string, unknown>) =>
  Array.from({ length: count }, (_, at) => make(at))

function contractOf(events: readonly Record<string, unknown>[]): EventContract {
  return {
    key: 'seat_added',
    name: 'seat_added',
    version: '1-0-0',
    status: 'published',
    description: '',
    properties: inferProperties(events).properties,
    additional: 'accept',
    surfaces: ['web'],
    purpose: 'analytics_storage',
  }
}

function outcomeOf(contract: EventContract, properties: Record<string, unknown>): string {
  const reading = readTrack({ event: 'seat_added', user_id: 'u1', properties })
  if (reading.kind === 'alias') throw new Error('no alias was written')
  const known = {
    contracts: compileContracts([contract]),
    mapping: compileMapping([]),
    keyClass: 'secret',
  } as const
  return judgeReading(reading, { ...known, receivedAt: 0 }).outcome
}

describe('the type of a property', () => {
  test.each([
    ['numbers', [1, 2.5, -3], 'number'],
    ['text', ['a', 'b'], 'string'],
    ['text of digits, which may be an id', ['007', '12'], 'string'],
    ['yes and no', [true, false], 'boolean'],
    ['lists', [[1], []], 'array'],
    ['objects', [{ a: 1 }, {}], 'object'],
    ['numbers and text', [1, 'one'], 'string'],
    ['numbers and yes or no', [1, true], 'string'],
    ['numbers, some of them missing', [1, null, 2], 'number'],
  ])('of %s is the one that holds all of them', (_what, values, type) => {
    const { properties } = inferProperties(values.map((value) => ({ it: value })))
    expect(properties.it?.type).toBe(type)
  })

  test('is a number if its text is one in every event, unless its name says that it is an id', () => {
    const of = (...amounts: unknown[]) =>
      inferProperties(amounts.map((amount) => ({ amount }))).properties.amount?.type
    expect([of('12.50', '7'), of('12.50', 7)]).toEqual(['number', 'number'])
    expect([of('12,50', '7'), of('012', '7'), of('7', 'seven'), of('7', true)]).toEqual(
      Array.from({ length: 4 }, () => 'string'),
    )
    const ids = inferProperties([
      { order_id: '12', orderId: '12', zip: '10115', paid: '5', prices: ['1', '2.5'] },
    ])
    expect(ids.properties).toMatchObject({
      order_id: { type: 'string' },
      orderId: { type: 'string' },
      zip: { type: 'string' },
      paid: { type: 'number' },
      prices: { type: 'array', items: { type: 'number' } },
    })
  })

  test('that no type covers is left out, and the proposal says so', () => {
    const { properties, leftOut } = inferProperties([{ it: 1 }, { it: [1] }])
    expect(properties).toEqual({})
    expect(leftOut).toMatchObject([{ property: 'it' }])
  })
})

describe('the limits of a property', () => {
  test('required is what each of ten events had; of nine that may be chance', () => {
    const of = (count: number) =>
      inferProperties(many(count, (at) => ({ plan: 'a', seats: at === 3 ? null : at }))).properties
    expect(of(10)).toMatchObject({ plan: { required: true }, seats: { type: 'number' } })
    expect(of(10).seats?.required).toBeUndefined()
    expect(of(9).plan?.required).toBeUndefined()
  })

  test('an enum needs fifty values of which none is rare', () => {
    const plans = ['free', 'team', 'pro']
    const of = (count: number, rare?: string) =>
      inferProperties(many(count, (at) => ({ plan: at === 0 && rare !== undefined ? rare : plans[at % 3] })))
        .properties.plan?.enum
    expect(of(50)).toEqual(['free', 'pro', 'team'])
    expect(of(49)).toBeUndefined()
    expect(of(60, 'enterprise')).toBeUndefined()
    const ids = inferProperties(many(60, (at) => ({ id: `id-${at}` }))).properties.id
    expect(ids).toEqual({ type: 'string', required: true })
  })

  test('a range begins at zero where nothing was negative, and is open above', () => {
    const of = (first: number) => inferProperties(many(50, (at) => ({ n: at + first }))).properties.n
    expect(of(5)).toEqual({ type: 'number', minimum: 0, required: true })
    expect(of(-1)).toEqual({ type: 'number', required: true })
  })

  test('lists and objects are described three levels deep', () => {
    const { properties } = inferProperties([{ items: [{ sku: 'a', size: { cm: 3 } }] }])
    expect(properties).toEqual({
      items: {
        type: 'array',
        items: { type: 'object', properties: { sku: { type: 'string' }, size: { type: 'object' } } },
      },
    })
  })

  test('at most a hundred properties are proposed, the most frequent ones', () => {
    const rare = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`rare_${at}`, 1]))
    const { properties, leftOut } = inferProperties([{ usual: 1 }, { usual: 2, ...rare }])
    expect(Object.keys(properties)).toHaveLength(100)
    expect(properties.usual).toBeDefined()
    expect(leftOut.length).toBeGreaterThan(0)
  })
})

test('a proposed contract lets every event pass that it was made from', () => {
  const scalar = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean())
  const word = fc.constantFrom('free', 'team', 'pro', '12', 'x y')
  const value = fc.oneof(
    scalar,
    word,
    fc.constant(null),
    fc.array(fc.oneof(scalar, word, fc.constant(null)), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(scalar, word), { maxKeys: 2 }),
  )
  const event = fc.dictionary(fc.constantFrom('plan', 'seats', 'items', '__proto__'), value, { maxKeys: 4 })
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 80 }), (events) => {
      const sent: Record<string, unknown>[] = events.map((one) => JSON.parse(JSON.stringify(one)))
      const contract = contractOf(sent)
      for (const properties of sent) {
        expect(['accept', 'warn']).toContain(outcomeOf(contract, properties))
      }
    }),
    { numRuns: 200 },
  )
})
