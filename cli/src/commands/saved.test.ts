import { createAlert, createDigest } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../../server/src/testing/harness.ts'
import { openShell, type Shell } from '../testing/shell.ts'

let world: World
let shop: TestWorkspace
let shell: Shell

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
  shell = openShell()
})
afterAll(async () => {
  shell?.remove()
  await world?.close()
})

const assay = (...args: string[]) =>
  shell.assay([...args, '--server', world.product.url, '--key', shop.keys.live])

test('goals are created, listed and deleted', async () => {
  expect((await assay('goals', 'list')).out).toContain('There is no goal.')
  const page = await assay('goals', 'create', 'Thanks', '--page', '/thanks', '--site', shop.siteId, '--json')
  const id = String(page.json().id)
  expect(page).toMatchObject({ exitCode: 0 })
  const filters = '[["gte","property:amount",500]]'
  const large = ['create', 'Large', '--event', '$purchase', '--filters', filters, '--site', shop.siteId]
  expect((await assay('goals', ...large)).out).toContain('Created goal_')
  const listed = await assay('goals', 'list', '--site', shop.siteId)
  expect(listed.out).toContain(`${id}  Thanks  $pageview on /thanks`)
  expect(listed.out).toContain('Large  $purchase')
  expect((await assay('goals', 'delete', id)).out).toContain(`Deleted ${id}.`)
  expect((await assay('goals', 'list')).out).not.toContain(id)
})

test('alerts are listed with their states, paused and resumed', async () => {
  expect((await assay('alerts', 'list')).out).toContain('There is no alert.')
  const condition = { type: 'above' as const, value: 10 }
  const question = { metric: 'visitors' as const }
  const body = {
    siteId: shop.siteId,
    name: 'Crowd',
    question,
    interval: 'day' as const,
    condition,
    notice: true,
  }
  const { status, body: made } = await shop.call(createAlert, { body })
  expect(status, JSON.stringify(made)).toBe(201)
  expect((await assay('alerts', 'list')).out).toContain(`${made.id}  unknown  day   Crowd`)
  expect((await assay('alerts', 'pause', made.id)).out).toContain(`${made.id}  paused `)
  expect((await assay('alerts', 'resume', made.id, '--json')).json()).toMatchObject({ isPaused: false })
})

test('digests are listed with their next time, paused and resumed', async () => {
  expect((await assay('digests', 'list')).out).toContain('There is no digest.')
  const digest = { type: 'overview' as const, frequency: 'weekly' as const, recipients: ['ada@shop.example'] }
  const { status, body: made } = await shop.call(createDigest, { body: { siteId: shop.siteId, ...digest } })
  expect(status, JSON.stringify(made)).toBe(201)
  expect((await assay('digests', 'list')).out).toContain(`${made.id}  weekly   overview  to 1, next 20`)
  expect((await assay('digests', 'pause', made.id)).out).toContain('to 1, paused')
  expect((await assay('digests', 'resume', made.id)).out).toContain('to 1, next 20')
})

test.each([
  [['goals'], 2, /Name an action/],
  [['goals', 'create', 'Thanks'], 2, /site/],
  [['goals', 'create', 'Thanks', '--site', 's'], 2, /--event, --page/],
  [['goals', 'create', 'Thanks', '--site', 's', '--page', '/t', '--filters', '{'], 2, /JSON/],
  [['goals', 'delete', 'goal_x'], 3, /no such goal/i],
  [['alerts', 'pause'], 2, /Name an action/],
  [['alerts', 'pause', 'alr_x'], 3, /no such alert/i],
  [['digests', 'list', 'x'], 2, /Name an action/],
  [['digests', 'resume', 'dig_x'], 3, /no such digest/i],
])('%j is refused with a reason', async (args, exitCode, said) => {
  expect(await assay(...args)).toMatchObject({ exitCode, err: expect.stringMatching(said) })
})
