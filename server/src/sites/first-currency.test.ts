import { createSite, getOverview, getSite, track } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

const order = (id: string, amount: number, currency: string, site_id: string) => ({
  event: '$purchase',
  user_id: 'ada',
  site_id,
  properties: { amount, currency, order_id: id },
})

async function newSite(shop: TestWorkspace) {
  const made = await shop.call(createSite, { body: { name: 'Shop', domain: 'first.example' } })
  expect(made.status).toBe(201)
  return made.body
}

test('a site takes the currency of the first amount that arrives, and keeps it', async () => {
  const shop = await world.newWorkspace()
  const { id, currency } = await newSite(shop)
  expect(currency).toBeNull()
  const query = { siteId: id, window: '24h' }
  const before = (await shop.call(getOverview, { query })).body
  expect(before.metrics).toMatchObject({ revenue: 0, currency: null })
  const events = [order('a', 20, 'USD', id), order('b', 5, 'GBP', id)]
  await shop.send(events)
  expect((await shop.call(getSite, { params: { id } })).body.currency).toBe('USD')
  const { metrics, currencies, otherCurrencies } = (await shop.call(getOverview, { query })).body
  expect(metrics).toMatchObject({ revenue: 20, currency: 'USD' })
  expect(currencies).toEqual({ seen: ['GBP', 'USD'], withoutRate: ['GBP'] })
  expect(otherCurrencies).toEqual([{ currency: 'GBP', revenue: 5 }])
  expect((await shop.call(track, { body: order('c', 1, 'GBP', id) })).status).toBe(202)
  await shop.settle()
  expect((await shop.call(getSite, { params: { id } })).body.currency).toBe('USD')
})

test('a site that was given a currency keeps it, whatever arrives', async () => {
  const shop = await world.newWorkspace({ currency: 'CHF' })
  expect((await shop.call(track, { body: order('a', 20, 'USD', shop.siteId) })).status).toBe(202)
  await shop.settle()
  expect((await shop.call(getSite, { params: { id: shop.siteId } })).body.currency).toBe('CHF')
})
