import { getMilestones, getSiteHealth, setExchangeRates } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { iso } from '../platform/clock.ts'
import { dayMs } from '../platform/units.ts'
import { raise, startWorld, type TestWorkspace, type World } from '../testing/harness.ts'
import { noticesOf, subscribeToNotices } from '../testing/notices.ts'
import { sendMilestones } from './milestones.ts'
import { type HealthFigures, judgeHealth } from './site-score.ts'

const clock = { ms: Date.UTC(2026, 10, 10, 12) }
let world: World

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
})
afterAll(() => world?.close())

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
let serial = 0

async function send(
  shop: TestWorkspace,
  events: readonly { event: string; who: string; ms: number; properties: object }[],
) {
  const wired = events.map(({ event, who, ms, properties }) => ({
    event,
    event_id: `health-${serial++}`,
    anonymous_id: who,
    ts: new Date(ms).toISOString(),
    historical: true,
    properties,
    context: { userAgent: browser },
  }))
  await shop.send(wired, { outcomes: ['accept', 'warn', 'quarantine'] })
}

const healthy: HealthFigures = {
  nowMs: clock.ms,
  visits: {
    sessions: 1_000,
    withError: 0,
    converted: 100,
    pastSessions: 4_000,
    pastConverted: 400,
    activeHours: [clock.ms - 8 * 3_600_000, clock.ms - 3_600_000],
    lastMs: clock.ms - 3_600_000,
  },
  verdicts: { accepted: 1_000, warned: 0, quarantined: 0, rejected: 0 },
  vitals: [
    { metric: 'LCP', readings: 100, p75: 2_000 },
    { metric: 'INP', readings: 100, p75: 150 },
    { metric: 'CLS', readings: 100, p75: 0.05 },
  ],
}
const scoreOf = (figures: HealthFigures, key: string) =>
  judgeHealth(figures).components.find((one) => one.key === key)?.score

describe('the health of a site', () => {
  test('is 100 where nothing is wrong, and what is unknown neither helps nor harms', () => {
    expect(judgeHealth(healthy)).toMatchObject({ score: 100, grade: 'A', completeness: 1 })
    expect(judgeHealth(healthy).components.every(({ fix }) => fix === null)).toBe(true)
    const unmeasured = judgeHealth({ ...healthy, vitals: [{ metric: 'LCP', readings: 19, p75: 9_000 }] })
    expect(unmeasured).toMatchObject({ score: 100, completeness: 0.85 })
    expect(unmeasured.components.find(({ key }) => key === 'performance')?.fix).toContain('browser SDK')
  })

  test('falls with each thing that goes wrong, and each says so', () => {
    const visits = healthy.visits
    const wrong: [string, HealthFigures, number][] = [
      ['errors', { ...healthy, visits: { ...visits, withError: 100 } }, 50],
      [
        'tracking_integrity',
        { ...healthy, verdicts: { accepted: 875, warned: 0, quarantined: 100, rejected: 25 } },
        50,
      ],
      ['freshness', { ...healthy, visits: { ...visits, lastMs: clock.ms - 10.5 * 3_600_000 } }, 50],
      ['performance', { ...healthy, vitals: [{ metric: 'LCP', readings: 50, p75: 3_250 }] }, 50],
    ]
    for (const [key, figures, score] of wrong) {
      const judged = judgeHealth(figures)
      expect(scoreOf(figures, key), key).toBe(score)
      // In words of the product: readers know pages, not URLs.
      expect(judged.components.find((one) => one.key === key)?.fix).toMatch(/^[^/]+$/)
      expect(judged.score).toBeLessThan(100)
    }
    // A little less than usual is noise; half of it is not.
    expect(scoreOf({ ...healthy, visits: { ...visits, converted: 95 } }, 'conversion_stability')).toBe(100)
    expect(
      scoreOf({ ...healthy, visits: { ...visits, converted: 40 } }, 'conversion_stability'),
    ).toBeLessThan(30)
  })

  test('is between 0 and 100, or null where nothing is known, whatever the figures', () => {
    const count = fc.nat(5_000)
    fc.assert(
      fc.property(
        fc.record({
          sessions: count,
          withError: count,
          converted: count,
          pastSessions: count,
          pastConverted: count,
        }),
        fc.record({ accepted: count, warned: count, quarantined: count, rejected: count }),
        fc.option(count),
        (visits, verdicts, age) => {
          const judged = judgeHealth({
            nowMs: clock.ms,
            visits: {
              ...visits,
              withError: Math.min(visits.withError, visits.sessions),
              converted: Math.min(visits.converted, visits.sessions),
              pastConverted: Math.min(visits.pastConverted, visits.pastSessions),
              activeHours: [],
              lastMs: age === null ? null : clock.ms - age * 60_000,
            },
            verdicts,
            vitals: [],
          })
          for (const { score } of judged.components) {
            if (score === null) continue
            expect(score).toBeGreaterThanOrEqual(0)
            expect(score).toBeLessThanOrEqual(100)
          }
          expect(judged.score === null).toBe(judged.completeness === 0)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('is read from what was stored, and a site without data has none', async () => {
    const shop = await world.newWorkspace({ preset: 'strict' })
    const empty = await shop.call(getSiteHealth, { query: { siteId: shop.siteId } })
    expect(empty.body).toMatchObject({ score: null, grade: null, completeness: 0 })
    const visits = Array.from({ length: 40 }, (_, index) => ({
      who: `v${index}`,
      ms: clock.ms - 2 * dayMs + index * 60_000,
    }))
    await send(shop, [
      ...visits.map(({ who, ms }) => ({
        event: '$pageview',
        who,
        ms,
        properties: { url: 'https://shop.example/', title: 'x' },
      })),
      ...visits
        .slice(0, 4)
        .map(({ who, ms }) => ({ event: 'error', who, ms: ms + 1_000, properties: { message: 'x' } })),
      ...visits.map(({ who, ms }) => ({
        event: 'web_vital',
        who,
        ms: ms + 500,
        properties: { metric: 'LCP', value: 3_250 },
      })),
      ...visits.slice(0, 8).map(({ who, ms }) => ({ event: 'no_such_event', who, ms, properties: {} })),
    ])
    const { body } = await shop.call(getSiteHealth, { query: { siteId: shop.siteId } })
    const scores = Object.fromEntries(body.components.map(({ key, score }) => [key, score]))
    expect(scores).toMatchObject({ errors: 50, performance: 50, conversion_stability: null })
    expect(body.components.find(({ key }) => key === 'tracking_integrity')?.figures).toMatchObject({
      accepted: 84,
      quarantined: 8,
    })
    const during = await healthOf(shop, clock.ms - 3 * dayMs, clock.ms - dayMs)
    expect(during.scores).toMatchObject({ errors: 50, performance: 50 })
    expect(during.body).toMatchObject({
      at: iso(clock.ms - dayMs),
      period: { from: iso(clock.ms - 3 * dayMs), to: iso(clock.ms - dayMs), timezone: 'UTC' },
    })
    // A time before the first event knows of nothing that came later.
    const before = await healthOf(shop, clock.ms - 9 * dayMs, clock.ms - 4 * dayMs)
    expect(before.body).toMatchObject({ score: null, completeness: 0 })
    // Nor does a day without visits, save that it is quiet.
    const after = await healthOf(shop, clock.ms - dayMs, clock.ms)
    expect(after.scores).toMatchObject({ errors: null, performance: null, freshness: 0 })
    const both = { siteId: shop.siteId, window: '7d', from: iso(clock.ms - dayMs) }
    expect((await shop.call(getSiteHealth, { query: both })).status).toBe(422)
  }, 120_000)
})

async function healthOf(shop: TestWorkspace, fromMs: number, toMs: number) {
  const query = { siteId: shop.siteId, from: iso(fromMs), to: iso(toMs) }
  const { body } = await shop.call(getSiteHealth, { query })
  return { body, scores: Object.fromEntries(body.components.map(({ key, score }) => [key, score])) }
}

async function milestonesWithin(shop: TestWorkspace, fromMs: number, toMs: number): Promise<string[]> {
  const period = { from: iso(fromMs), to: iso(toMs) }
  const { body } = await shop.call(getMilestones, { query: { siteId: shop.siteId, ...period } })
  expect(body.period).toMatchObject(period)
  return body.milestones.map(({ id }) => id)
}

/** Nine orders, a minute apart, the last of them in dollars, and a refund between them. */
const orders = (at: (minutes: number) => number) => [
  ...Array.from({ length: 9 }, (_, index) => ({
    event: '$purchase',
    who: `buyer-${index}`,
    ms: at(index),
    properties: { amount: 20, currency: index === 8 ? 'USD' : 'EUR' },
  })),
  { event: '$refund', who: 'buyer-0', ms: at(2.5), properties: { amount: 30, currency: 'EUR' } },
]

describe('milestones', () => {
  test('are reached at the event that made the number full, and stay so', async () => {
    const shop = await world.newWorkspace({ preset: 'strict' })
    await subscribeToNotices(shop, ['milestone.reached'])
    const startMs = clock.ms - dayMs
    const at = (minutes: number) => startMs + minutes * 60_000
    await send(shop, orders(at))
    const query = { siteId: shop.siteId }
    const read = async () => (await shop.call(getMilestones, { query })).body.milestones
    const reachedAt = (minutes: number) => new Date(at(minutes)).toISOString()
    const found = new Map((await read()).map((one) => [one.id, one]))
    expect(found.get('orders_1')).toMatchObject({
      reachedAt: reachedAt(0),
      status: 'reached',
      title: 'The first order',
    })
    expect(found.get('orders_10')).toMatchObject({ reachedAt: null, status: 'approaching', value: 9 })
    // 20 + 20 + 20 - 30 + 20 + 20 + 20 + 20 = 110 with the seventh order.
    expect(found.get('revenue_100')).toMatchObject({
      reachedAt: reachedAt(6),
      value: 130,
      title: '€100 of revenue',
    })
    const within = (fromMs: number, toMs: number) => milestonesWithin(shop, fromMs, toMs)
    expect(await within(at(-60), at(0))).toEqual([])
    expect((await within(at(-60), at(5))).toSorted()).toEqual(['orders_1', 'visitors_1'])
    expect(await within(at(5), at(60))).toEqual(['revenue_100'])
    const untilNow = (await shop.call(getMilestones, { query: { ...query, window: '1d' } })).body.milestones
    expect(untilNow.map(({ id }) => id)).toContain('orders_10')
    expect(found.get('visitors_1')).toMatchObject({ reachedAt: reachedAt(0), value: 9 })

    await send(shop, [
      { event: '$purchase', who: 'buyer-9', ms: at(20), properties: { amount: 20, currency: 'EUR' } },
    ])
    expect((await read()).some(({ id, status }) => id === 'orders_10' && status === 'reached')).toBe(false)
    await shop.call(setExchangeRates, { body: { base: 'EUR', rates: [{ currency: 'USD', rate: 1.5 }] } })
    clock.ms += 11 * 60_000
    const anew = await read()
    expect(anew).toContainEqual(expect.objectContaining({ id: 'orders_10', reachedAt: reachedAt(20) }))
    // One more of 20, and the one in dollars.
    expect(anew).toContainEqual(expect.objectContaining({ id: 'revenue_100', value: 180 }))
    // Counted again, also by the schedule: each was announced once, when it was reached.
    await sendMilestones(world.product.deps, raise)
    clock.ms += 2 * 3_600_000
    await Promise.all([sendMilestones(world.product.deps, raise), read()])
    const told = await noticesOf(world, shop, 'milestone.reached')
    const reached = (await read()).filter(({ status }) => status === 'reached').map(({ id }) => id)
    expect(told.map(({ id }) => id).sort()).toEqual(reached.sort())
    expect(told).toContainEqual({
      site_id: shop.siteId,
      id: 'orders_10',
      key: 'orders',
      title: '10 orders',
      threshold: 10,
      reached_at: reachedAt(20),
    })
    clock.ms += 420 * dayMs
    const later = new Map((await read()).map((one) => [one.id, one]))
    expect(later.get('orders_10')).toMatchObject({
      reachedAt: expect.any(String),
      value: 0,
      status: 'reached',
    })
  }, 120_000)
})
