import {
  batch,
  getAttributionReport,
  getMilestones,
  getOverview,
  listEventHealth,
  listFunnels,
  type RouteShape,
  routes,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { preferredWait } from '../../http/fresh-read.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../../testing/harness.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

let serial = 0
/** The property of the test hangs on it, so it has to be accepted. */
async function send(shop: TestWorkspace, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => {
    const id = `fresh-${serial++}`
    return { event: '$login', event_id: id, user_id: `u-${id}`, properties: { method: 'mail' } }
  })
  const { body } = await shop.call(batch, { body: { batch: events } })
  expect(body.summary.accept).toBe(count)
}

const overview = (shop: TestWorkspace, headers: Record<string, string> = {}) =>
  shop.call(getOverview, { query: { siteId: shop.siteId, window: '7d' } }, { headers })

/** Nothing is loaded while this is done. */
const withoutLoads = <T>(work: () => Promise<T>) => world.product.deps.writer.withoutLoads(work)

describe('a read that waits', () => {
  test('has every event that was acknowledged before it, however many came and whichever others send', async () => {
    const [shop, other] = [await world.newWorkspace(), await world.newWorkspace()]
    let sent = 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), fc.nat({ max: 50 }), async (count, foreign) => {
        const later = foreign === 0 ? Promise.resolve() : send(other, foreign)
        await send(shop, count)
        sent += count
        const askedMs = Date.now()
        const { body, headers } = await overview(shop, { prefer: 'wait=30' })
        expect(body.metrics.events).toBe(sent)
        expect(body.pendingEvents).toBe(0)
        expect(Date.parse(body.dataUntil)).toBeGreaterThanOrEqual(askedMs)
        expect(headers.get('preference-applied')).toBe('wait=30')
        await later
      }),
      { numRuns: 5 },
    )
  }, 240_000)

  test('answers with what there is when the time is over, and says what is missing', async () => {
    const shop = await world.newWorkspace()
    await withoutLoads(async () => {
      await send(shop, 7)
      const { body, headers } = await overview(shop, { prefer: 'respond-async, wait=1' })
      expect(headers.get('preference-applied')).toBe('wait=1')
      expect(body).toMatchObject({ metrics: { events: 0 }, pendingEvents: 7 })
    })
    expect((await overview(shop, { prefer: 'wait=30' })).body).toMatchObject({
      metrics: { events: 7 },
      pendingEvents: 0,
    })
  })

  test('never gets an older answer that was kept', async () => {
    const shop = await world.newWorkspace()
    const query = { siteId: shop.siteId }
    await shop.call(listFunnels, { query })
    const sentMs = Date.now()
    await send(shop, 3)
    const kept = await shop.call(listFunnels, { query })
    expect(Date.parse(kept.body.dataUntil)).toBeLessThanOrEqual(sentMs)
    const askedMs = Date.now()
    const waited = await shop.call(listFunnels, { query }, { headers: { prefer: 'wait=30' } })
    expect(Date.parse(waited.body.dataUntil)).toBeGreaterThanOrEqual(askedMs)
    const counted = await shop.call(getMilestones, { query }, { headers: { prefer: 'wait=30' } })
    expect(Date.parse(counted.body.dataUntil)).toBeGreaterThanOrEqual(askedMs)
  })

  test('is not delayed while the product stops', async () => {
    const stopping = await startWorld()
    const shop = await stopping.newWorkspace()
    const { writer } = stopping.product.deps
    const release = Promise.withResolvers<void>()
    const paused = writer.withoutLoads(() => release.promise)
    await send(shop, 1)
    const asked = overview(shop, { prefer: 'wait=30' })
    const waiting = untilTrue('the question', () => stopping.product.deps.log.oldestMs !== null)
    await waiting
    const closed = stopping.close()
    expect((await asked).body.pendingEvents).toBe(1)
    release.resolve()
    await Promise.all([paused, closed])
  }, 240_000)
})

describe('what is pending', () => {
  test('is what was acknowledged and not loaded, of the workspace alone', async () => {
    const [shop, other] = [await world.newWorkspace(), await world.newWorkspace()]
    await withoutLoads(async () => {
      const beforeMs = Date.now()
      expect((await overview(shop)).body.pendingEvents).toBe(0)
      await send(shop, 5)
      await send(shop, 4)
      await send(other, 2)
      const { body } = await overview(shop)
      expect(body).toMatchObject({ metrics: { events: 0 }, pendingEvents: 9 })
      expect(Date.parse(body.dataUntil)).toBeGreaterThanOrEqual(beforeMs)
      expect(Date.parse(body.dataUntil)).toBeLessThanOrEqual(Date.now())
      expect((await overview(other)).body.pendingEvents).toBe(2)
    })
  })

  test('counts neither repeats nor what was rejected, which are no events to come', async () => {
    const shop = await world.newWorkspace()
    const event = { event: '$login', event_id: 'one', user_id: 'u', properties: { method: 'mail' } }
    await withoutLoads(async () => {
      await shop.call(batch, { body: { batch: [event, event, { event: '$login', user_id: 'u' }] } })
      expect((await overview(shop)).body.pendingEvents).toBe(1)
    })
  })

  test('is part of both surfaces in their own spelling', async () => {
    const shop = await world.newWorkspace()
    await withoutLoads(async () => {
      await send(shop, 3)
      const health = await shop.call(listEventHealth, { query: {} })
      expect(health.body).toMatchObject({ pending_events: 3, data_until: expect.any(String) })
      const report = await shop.call(getAttributionReport, {
        query: { from: '2026-01-01', to: '2026-01-02' },
      })
      expect(report.body).toMatchObject({ pending_events: 3, data_until: expect.any(String) })
    })
  })

  test('stands in headers where the answer is a file', async () => {
    const shop = await world.newWorkspace()
    const url = `${world.product.url}/api/analytics/overview?siteId=${shop.siteId}&format=csv`
    const { headers } = await fetch(url, { headers: { authorization: `Bearer ${shop.keys.live}` } })
    expect(headers.get('content-type')).toContain('text/csv')
    expect(headers.get('x-pending-events')).toBe('0')
    expect(Date.parse(headers.get('x-data-until') ?? '')).toBeGreaterThan(0)
  })
})

test('every read of the analytics says how fresh it is', () => {
  const isRead = ({ path, access }: RouteShape) => access === 'read' && path.startsWith('/api/analytics/')
  const silent = routes.filter((route) => isRead(route) && route.fresh === undefined).map(({ id }) => id)
  expect(silent).toEqual([])
})

test('a preference is read as RFC 7240 writes it, and bounded', () => {
  expect(preferredWait(undefined)).toBeNull()
  expect(preferredWait('handling=strict')).toBeNull()
  expect(preferredWait('wait=5')).toBe(5)
  expect(preferredWait('Wait = "7"; x=y, handling=lenient')).toBe(7)
  expect(preferredWait(['return=minimal', 'respond-async, wait=12'])).toBe(12)
  expect(preferredWait('wait=99999')).toBe(30)
  expect(preferredWait('wait=-1')).toBeNull()
  expect(preferredWait('wait=soon')).toBeNull()
})
