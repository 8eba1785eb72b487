import { createAudience, routes, updateSite } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

let world: World
let shop: TestWorkspace
let other: TestWorkspace
beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
  other = await world.newWorkspace()
})
afterAll(() => world?.close())

const reportOf = ({ workspaceId }: TestWorkspace) => `${workspaceId} a report`
const isCached = (workspace: TestWorkspace) => world.product.deps.kept.ageMs(reportOf(workspace)) !== null
const cache = (workspace: TestWorkspace) => world.product.deps.kept.of(reportOf(workspace), async () => 1)

test('a change drops the cached reports of its workspace before it is answered; a refusal and a dry run do not', async () => {
  const params = { id: shop.siteId }
  for (const workspace of [shop, other]) await cache(workspace)
  expect((await shop.call(updateSite, { params, body: { timezone: 'nowhere' } })).status).toBe(422)
  const rules = { all: [{ field: 'events', op: 'gt' as const, value: 0, window: '30d' }] }
  const audience = { siteId: shop.siteId, name: 'All', rules, dryRun: true }
  expect((await shop.call(createAudience, { body: audience })).status).toBeLessThan(300)
  expect([isCached(shop), isCached(other)]).toEqual([true, true])
  expect((await shop.call(updateSite, { params, body: { timezone: 'Europe/Berlin' } })).status).toBe(200)
  expect([isCached(shop), isCached(other)]).toEqual([false, true])
})

test('only routes that write, of a workspace, drop reports', () => {
  const dropping = routes.filter(({ invalidates }) => invalidates !== undefined)
  expect(dropping.length).toBeGreaterThan(15)
  expect(dropping.filter(({ method, access }) => method === 'GET' || access !== 'write')).toEqual([])
})
