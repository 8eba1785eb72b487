import { createAudience, track, updateSite } from '@assay/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { refreshDue } from './audiences/audiences.ts'
import { checkDueSites } from './drift/drift.ts'
import { silentLogger } from './platform/logging/logger.ts'
import { removeOldEvents } from './privacy/retention/event-retention.ts'
import { sendMilestones } from './site-score/milestones.ts'
import { startWorld, type TestWorkspace, type World } from './testing/harness.ts'
import { subscribeToNotices } from './testing/notices.ts'

/** Of two workspaces, one holds a row that no route would take. What is done for all is done for the other. */
const dayMs = 86_400_000
const clock = { aheadMs: 0 }
let world: World
let poisoned: TestWorkspace
let sound: TestWorkspace
const failures: unknown[] = []

const control = () => world.product.deps.control
const onFailure = (error: unknown) => void failures.push(error)

beforeAll(async () => {
  world = await startWorld({ now: () => Date.now() + clock.aheadMs })
  // The older one is first wherever they are walked through.
  poisoned = await world.newWorkspace()
  sound = await world.newWorkspace()
})
afterAll(() => world?.close())
beforeEach(() => {
  failures.length = 0
})

const eventsOf = async ({ workspaceId }: TestWorkspace) => {
  const rows = await world.product.deps.events.query<{ count: string }>(
    'SELECT toString(count()) AS count FROM events WHERE workspace_id = {workspaceId:String}',
    { workspaceId },
  )
  return Number(rows[0]?.count)
}

test('audiences: rules that cannot be read', async () => {
  const rules = { all: [{ field: 'events' as const, op: 'gt' as const, value: 0, window: '30d' as const }] }
  for (const shop of [poisoned, sound])
    await shop.call(createAudience, { body: { siteId: shop.siteId, name: 'Active', rules } })
  await control().query("UPDATE audiences SET rules = '0' WHERE workspace_id = $1", [poisoned.workspaceId])
  const sizedAt = async () => {
    const [row] = await control().query<{ size_at: Date }>(
      'SELECT size_at FROM audiences WHERE workspace_id = $1',
      [sound.workspaceId],
    )
    return row?.size_at.getTime() ?? 0
  }
  const before = await sizedAt()
  clock.aheadMs += 2 * 3_600_000
  expect(await refreshDue(world.product.deps, onFailure)).toBe(2)
  expect(failures).toHaveLength(1)
  expect(await sizedAt()).toBeGreaterThan(before)
  // It has its next turn as late as the others, and not at once.
  expect(await refreshDue(world.product.deps, onFailure)).toBe(0)
})

test('milestones: totals that are none', async () => {
  for (const shop of [poisoned, sound]) await subscribeToNotices(shop, ['milestone.reached'])
  await sendMilestones(world.product.deps, onFailure)
  expect(failures).toEqual([])
  await control().query("UPDATE site_milestones SET totals = '0', reached = '0' WHERE workspace_id = $1", [
    poisoned.workspaceId,
  ])
  clock.aheadMs += dayMs
  await sendMilestones(world.product.deps, onFailure)
  const rows = await control().query<{ counted_at: Date }>(
    'SELECT counted_at FROM site_milestones WHERE workspace_id = $1',
    [sound.workspaceId],
  )
  expect(rows[0]?.counted_at.getTime()).toBeGreaterThan(Date.now() + clock.aheadMs - 60_000)
})

test('drift: a site whose zone does not exist', async () => {
  await control().query("UPDATE sites SET timezone = 'Mars/Olympus' WHERE id = $1", [poisoned.siteId])
  await checkDueSites(world.product.deps, onFailure)
  const rows = await control().query<{ site_id: string }>('SELECT site_id FROM drift_checks')
  expect(rows.map(({ site_id }) => site_id)).toEqual(expect.arrayContaining([sound.siteId, poisoned.siteId]))
})

test('retention of events: a site whose zone does not exist', async () => {
  const { deps } = world.product
  const login = { event: '$login', user_id: 'u', properties: { method: 'password' } }
  for (const shop of [poisoned, sound]) {
    await control().query("UPDATE sites SET timezone = 'UTC' WHERE id = $1", [shop.siteId])
    await shop.call(updateSite, { params: { id: shop.siteId }, body: { eventRetentionDays: 30 } })
    await shop.call(track, { body: login })
    await shop.settle()
    expect(await eventsOf(shop)).toBe(1)
  }
  await control().query("UPDATE sites SET timezone = 'Mars/Olympus' WHERE id = $1", [poisoned.siteId])
  // Steps that a clock is believed in, up to two months from now.
  const nowMs = deps.now()
  for (let days = 0; days <= 60; days += 4)
    await removeOldEvents({ ...deps, now: () => nowMs + days * dayMs }, silentLogger, onFailure)
  expect(failures.length).toBeGreaterThan(0)
  expect(await eventsOf(sound)).toBe(0)
  expect(await eventsOf(poisoned)).toBe(1)
})
