import {
  createContract,
  createMapping,
  createSite,
  discardQuarantined,
  getOverview,
  listQuarantined,
  publishContract,
  releaseQuarantined,
  startBackfill,
  track,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

async function shopWithTwoSites(): Promise<{ shop: TestWorkspace; otherId: string }> {
  const shop = await world.newWorkspace({ preset: 'strict' })
  const { body } = await shop.call(createSite, { body: { name: 'Blog', domain: 'blog.example' } })
  return { shop, otherId: body.id }
}

const send = async (shop: TestWorkspace, site_id: string, event: string, properties: object = {}) =>
  (await shop.call(track, { body: { event, user_id: 'u1', site_id, properties } })).body.outcome

const quarantinedOf = async (shop: TestWorkspace, site_id: string) => {
  await shop.settle()
  return (await shop.call(listQuarantined, { query: { site_id, state: 'held' } })).body.data.length
}

describe('quarantined events of one site', () => {
  test('is all that a publication counts and releases where it names that site', async () => {
    const { shop, otherId } = await shopWithTwoSites()
    for (const site of [shop.siteId, otherId, otherId]) await send(shop, site, 'seat_added')
    const { body: draft } = await shop.call(createContract, { body: { key: 'seat_added', properties: {} } })
    expect(draft.status).toBe('draft')
    const params = { key: 'seat_added' }
    const here = { site_id: shop.siteId }
    const dry = await shop.call(publishContract, { params, body: { ...here, dry_run: true } })
    expect(dry.body.held).toEqual({ would_pass: 1, released: 0 })
    const nowhere = await shop.call(publishContract, { params, body: { site_id: 'site_none' } })
    expect(nowhere.status).toBe(404)
    const done = await shop.call(publishContract, { params, body: { ...here, release: true } })
    expect(done.body.held).toEqual({ would_pass: 1, released: 1 })
    expect([await quarantinedOf(shop, shop.siteId), await quarantinedOf(shop, otherId)]).toEqual([0, 2])
  })

  test('is all that a new contract, a release and a discard by filter touch, and dry runs count the same', async () => {
    const { shop, otherId } = await shopWithTwoSites()
    for (const site of [shop.siteId, otherId, otherId, otherId]) await send(shop, site, 'plan_chosen')
    await shop.settle()
    const filter = { event: 'plan_chosen', site_id: otherId }
    const { body: made } = await shop.call(createContract, {
      body: {
        key: 'plan_chosen',
        properties: {},
        status: 'published',
        release: true,
        site_id: shop.siteId,
      },
    })
    expect(made.held).toEqual({ would_pass: 1, released: 1 })
    const dry = await shop.call(releaseQuarantined, { body: { filter, dry_run: true } })
    expect([dry.body.matched, dry.body.released]).toEqual([3, 3])
    const discard = await shop.call(discardQuarantined, { body: { filter, dry_run: true } })
    expect(discard.body.matched).toBe(3)
    expect(await quarantinedOf(shop, otherId)).toBe(3)
    expect((await shop.call(releaseQuarantined, { body: { filter } })).body.released).toBe(3)
    await send(shop, shop.siteId, 'never_seen')
    await send(shop, otherId, 'never_seen')
    await shop.settle()
    await shop.call(discardQuarantined, { body: { filter: { site_id: otherId } } })
    expect([await quarantinedOf(shop, shop.siteId), await quarantinedOf(shop, otherId)]).toEqual([1, 0])
  })
})

describe('a back-fill', () => {
  test('that finds nothing because its events are quarantined says so, and its calls release them', async () => {
    const { shop, otherId } = await shopWithTwoSites()
    const order = { amount: 20, currency: 'EUR' }
    expect(await send(shop, shop.siteId, 'deal_won', order)).toBe('quarantine')
    expect(await send(shop, shop.siteId, 'Deal Won', order)).toBe('quarantine')
    await send(shop, otherId, 'deal_won', order)
    const { body: rule } = await shop.call(createMapping, {
      body: { siteId: shop.siteId, source: 'deal_won', target: '$purchase' },
    })
    const from = new Date(Date.now() - 86_400_000).toISOString()
    const ask = () => shop.call(startBackfill, { params: { id: rule.id }, body: { from, dryRun: true } })
    const { body: preview } = await ask()
    expect(preview).toMatchObject({ matched: 0, held: { events: 2 } })
    expect(preview.held.names.toSorted()).toEqual(['Deal Won', 'deal_won'])
    expect(preview.held.message).toContain('2 events of this name are quarantined')
    for (const { body } of preview.held.release) await shop.call(releaseQuarantined, { body })
    await shop.settle()
    expect((await ask()).body.held).toMatchObject({ events: 0, message: null, release: [] })
    expect(await quarantinedOf(shop, otherId)).toBe(1)
    const { body } = await shop.call(getOverview, { query: { siteId: shop.siteId, window: '7d' } })
    expect(body.metrics).toMatchObject({ revenue: 40, conversions: 2 })
  })
})

describe('a created contract', () => {
  test('that is a draft says that its event is still unknown and how to publish it; a live one says nothing', async () => {
    const shop = await world.newWorkspace()
    const { body: draft } = await shop.call(createContract, { body: { key: 'seat_added', properties: {} } })
    expect(draft).toMatchObject({
      status: 'draft',
      next: {
        message: 'seat_added 1-0-0 is a draft and judges nothing yet. Publish it to put it into force.',
        method: 'POST',
        path: '/v1/registry/events/seat_added/publish',
      },
    })
    const body = { key: 'plan_chosen', properties: {}, status: 'published' as const }
    expect((await shop.call(createContract, { body })).body).toMatchObject({
      status: 'published',
      next: null,
    })
  })
})
