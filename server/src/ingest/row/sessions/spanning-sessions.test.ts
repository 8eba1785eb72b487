import { getOverview, identify, queryFunnel, track } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { minuteMs } from '../../../platform/units.ts'
import { startWorld, type TestWorkspace, type World } from '../../../testing/harness.ts'
import { createIngest } from '../../ingest.ts'

let world: World
const noonMs = Date.parse('2026-11-10T12:00:00Z')

beforeAll(async () => {
  world = await startWorld({ now: () => noonMs })
})
afterAll(() => world?.close())

const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

const fromPage = (shop: TestWorkspace) => ({
  key: shop.keys.public,
  headers: { 'user-agent': userAgent },
})

type Whose = { anonymous_id?: string; user_id?: string; session_id?: string }

/** As the SDK in a page sends it. */
async function view(shop: TestWorkspace, minutesAgo: number, whose: Whose) {
  const body = {
    event: '$pageview',
    ...whose,
    ts: new Date(noonMs - minutesAgo * minuteMs).toISOString(),
    properties: { url: 'https://shop.example/cart', title: 'Cart' },
  }
  const { status } = await shop.call(track, { body }, fromPage(shop))
  expect(status).toBe(202)
}

/** As a back end books it: it knows the user and nothing of the page. */
async function order(shop: TestWorkspace, minutesAgo: number, user_id: string) {
  const body = {
    event: '$purchase',
    user_id,
    ts: new Date(noonMs - minutesAgo * minuteMs).toISOString(),
    properties: { amount: 20, currency: 'EUR', order_id: `order-${user_id}-${minutesAgo}` },
  }
  expect((await shop.call(track, { body })).status).toBe(202)
}

async function figures(shop: TestWorkspace) {
  await shop.settle()
  const { metrics } = (await shop.call(getOverview, { query: { siteId: shop.siteId, window: '24h' } })).body
  const steps = [{ path: '/cart' }, { event: '$purchase' }]
  const body = { siteId: shop.siteId, window: '24h', steps, by: 'session' as const }
  const funnel = (await shop.call(queryFunnel, { body })).body.steps.map(({ entered }) => entered)
  return { sessions: metrics.sessions, bounceRate: metrics.bounceRate, funnel }
}

describe('what a server says of a user', () => {
  test('is part of the session that they have open in the browser', async () => {
    const shop = await world.newWorkspace()
    await view(shop, 20, { anonymous_id: 'device', user_id: 'ada', session_id: 'visit' })
    await order(shop, 5, 'ada')
    expect(await figures(shop)).toEqual({ sessions: 1, bounceRate: 0, funnel: [1, 1] })
  })

  test('is part of a session that began before they signed in', async () => {
    const shop = await world.newWorkspace()
    await view(shop, 20, { anonymous_id: 'device' })
    const body = { anonymous_id: 'device', user_id: 'ada' }
    expect((await shop.call(identify, { body }, fromPage(shop))).status).toBe(200)
    await order(shop, 5, 'ada')
    expect(await figures(shop)).toEqual({ sessions: 1, bounceRate: 0, funnel: [1, 1] })
  })

  test('is a separate session over 30 minutes later, before it, and for another person', async () => {
    const shop = await world.newWorkspace()
    await view(shop, 60, { anonymous_id: 'device', user_id: 'ada' })
    await order(shop, 29, 'ada')
    await order(shop, 100, 'ada')
    await order(shop, 55, 'bob')
    expect(await figures(shop)).toEqual({ sessions: 4, bounceRate: 1, funnel: [1, 0] })
  })

  test('never draws the browser into a session of the server', async () => {
    const shop = await world.newWorkspace()
    await order(shop, 20, 'ada')
    await view(shop, 15, { user_id: 'ada' })
    await view(shop, 14, { anonymous_id: 'device', user_id: 'ada' })
    expect(await figures(shop)).toMatchObject({ sessions: 3, funnel: [2, 0] })
  })

  test('joins the same session after the node was started again', async () => {
    const shop = await world.newWorkspace()
    await view(shop, 20, { anonymous_id: 'device', user_id: 'ada' })
    await shop.settle()
    const { deps, log } = world.product
    deps.ingest = await createIngest({ ...deps, log, isClosed: () => false })
    await order(shop, 5, 'ada')
    expect(await figures(shop)).toEqual({ sessions: 1, bounceRate: 0, funnel: [1, 1] })
  })
})
