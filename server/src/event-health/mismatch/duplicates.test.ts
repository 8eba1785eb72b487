import { describe, expect, test } from 'vitest'
import { compareRecords, type DedupRecord } from './duplicates.ts'
import { reconcile, type Sighting } from './orders.ts'

const record = (given: Partial<DedupRecord>): DedupRecord => ({
  eventId: '',
  name: '$search',
  ms: 0,
  personId: 'per_a',
  anonymousId: '',
  source: 'web',
  properties: {},
  ...given,
})

describe('two records', () => {
  test('with one event id are the same, whatever else they say', () => {
    const [a, b] = [record({ eventId: 'e1', name: '$login' }), record({ eventId: 'e1' })]
    expect(compareRecords(a, b)).toMatchObject({ duplicate: true, score: 1 })
  })
  test('of different names are distinct', () => {
    expect(compareRecords(record({}), record({ name: '$login' }))).toMatchObject({
      score: 0,
      verdict: 'distinct',
    })
  })
  test('of one order, by pixel and webhook 40 seconds apart, are duplicates', () => {
    const properties = { order_id: '17', amount: 20, currency: 'EUR' }
    const pixel = record({ name: '$purchase', properties, anonymousId: 'd', personId: '' })
    const webhook = record({
      name: '$purchase',
      properties: { ...properties, vendor: 'stripe' },
      ms: 40_000,
      source: 'webhook:stripe',
    })
    expect(compareRecords(pixel, webhook)).toMatchObject({ duplicate: true })
    expect(compareRecords(webhook, pixel)).toEqual(compareRecords(pixel, webhook))
  })
  test('of the same amount and different orders are distinct', () => {
    const order = (order_id: string) => record({ name: '$purchase', properties: { order_id, amount: 20 } })
    expect(compareRecords(order('17'), order('18'))).toMatchObject({ verdict: 'distinct' })
  })
  test('of a double click within 300 ms are duplicates', () => {
    const click = (ms: number) => record({ name: '$click', ms, properties: { element: 'buy', ts: ms } })
    expect(compareRecords(click(0), click(300))).toMatchObject({ duplicate: true })
  })
  test('of the same query, 30 seconds later, are distinct', () => {
    const search = (ms: number) => record({ ms, properties: { query: 'shoes' } })
    expect(compareRecords(search(0), search(30_000))).toMatchObject({ verdict: 'distinct' })
  })
})

const sighting = (given: Partial<Sighting>): Sighting => ({
  orderId: 'o1',
  kind: 'browser',
  name: '$purchase',
  eventId: `e-${given.kind ?? 'browser'}-${given.orderId ?? 'o1'}`,
  platformId: 'p1',
  ms: 0,
  amount: 20,
  currency: 'EUR',
  ...given,
})

describe('orders', () => {
  test('seen alike by browser, server and payment are consistent', () => {
    const seen = (['browser', 'server', 'webhook'] as const).map((kind) => sighting({ kind }))
    expect(reconcile(seen)).toMatchObject({
      orders: [{ findings: [], platform: 'deduplicated', gap_ms: 0 }],
      summary: { orders: 1, consistent: 1, server_coverage: 1, id_overlap: 1, is_mismatch: false },
    })
  })
  test('show what differs', () => {
    const { orders, summary } = reconcile([
      sighting({}),
      sighting({ kind: 'server', amount: 21, currency: 'USD', ms: 301_000, platformId: 'p2' }),
      sighting({ orderId: 'o2', kind: 'webhook' }),
    ])
    expect(orders[0]?.findings).toEqual([
      'webhook_missing',
      'amount_differs',
      'currency_differs',
      'late',
      'counted_twice_by_platform',
    ])
    expect(orders[0]?.amounts.length).toBeGreaterThan(1)
    expect(orders[1]?.findings).toEqual(['browser_missing', 'server_missing'])
    expect(summary).toMatchObject({ consistent: 0, findings: { webhook_missing: 1, late: 1 } })
  })
  test('show every amount under which they were seen, also by the same sender', () => {
    const seen = [
      sighting({ amount: 20, ms: 1 }),
      sighting({ amount: 20.001, ms: 2 }),
      sighting({ amount: null, ms: 3 }),
      sighting({ amount: 25, ms: 4 }),
      sighting({ amount: 20, ms: 5, kind: 'server' }),
    ]
    const [order] = reconcile(seen).orders
    expect(order?.findings).toContain('amount_differs')
    expect(order?.amounts.map(({ amount }) => amount)).toEqual([20, 25])
  })
  test('are not blamed for what a shop never sends', () => {
    expect(reconcile([sighting({})]).orders[0]?.findings).toEqual([])
  })
  test('raise a mismatch on a hundred, not on fewer', () => {
    const shop = (count: number) =>
      Array.from({ length: count }, (_, index) => [
        sighting({ orderId: `o${index}` }),
        sighting({ orderId: `o${index}`, kind: 'server', platformId: 'other' }),
      ]).flat()
    expect(reconcile(shop(99)).summary.is_mismatch).toBe(false)
    expect(reconcile(shop(100)).summary.is_mismatch).toBe(true)
  })
})
