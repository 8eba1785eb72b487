import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Events } from '../../store/events.ts'
import { startWorld, type World } from '../../testing/harness.ts'
import { createSummedSites } from './summed-sites.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

/** The store, which counts what it is asked and may be away. */
function watched(events: Events) {
  const seen = { asked: 0, isAway: false }
  const query: Events['query'] = (sql, params) => {
    seen.asked += 1
    return seen.isAway ? Promise.reject(new Error('away')) : events.query(sql, params)
  }
  return { seen, events: { ...events, query } }
}

test('sites that are summed up are known within a minute, and asked for once in it', async () => {
  const { workspaceId, siteId } = await world.newWorkspace()
  const { seen, events } = watched(world.product.deps.events)
  let nowMs = 1_000_000
  const sites = createSummedSites(events, () => nowMs)
  expect(await Promise.all([1, 2, 3].map(() => sites.has({ workspaceId, siteId })))).toEqual(
    Array(3).fill(false),
  )
  await events.insertRows('summary_sites', [{ workspace_id: workspaceId, site_id: siteId }])
  expect([await sites.has({ workspaceId, siteId }), seen.asked]).toEqual([false, 1])
  nowMs += 60_000
  expect([await sites.has({ workspaceId, siteId }), seen.asked]).toEqual([true, 2])
  expect(await sites.has({ workspaceId: 'ws_other', siteId })).toBe(false)
})

test('a store that is away is asked again by the next read', async () => {
  const { seen, events } = watched(world.product.deps.events)
  const sites = createSummedSites(events, () => 1_000_000)
  seen.isAway = true
  await expect(sites.has({ workspaceId: 'w', siteId: 's' })).rejects.toThrow('away')
  seen.isAway = false
  expect(await sites.has({ workspaceId: 'w', siteId: 's' })).toBe(false)
})
