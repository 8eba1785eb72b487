import { createReport } from '@assay/contract'
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
  shell.assay(['reports', ...args, '--server', world.product.url, '--key', shop.keys.live])

test('reports are listed, and the answer of one is shown, also of another period', async () => {
  expect((await assay('list')).out).toContain('No report is saved.')
  const body = { siteId: shop.siteId, kind: 'overview' as const, name: 'Week', question: { window: '7d' } }
  const { body: report } = await shop.call(createReport, { body })
  const listed = await assay('list', '--site', shop.siteId)
  expect(listed).toMatchObject({ exitCode: 0, out: expect.stringContaining(`${report.id}  overview   Week`) })
  const shown = await assay('show', report.id)
  expect(JSON.parse(shown.out)).toMatchObject({ siteId: shop.siteId, metrics: { visitors: 0 } })
  const other = await assay('show', report.id, '--window', '24h', '--json')
  expect(other.json()).toMatchObject({ kind: 'overview', question: { window: '24h' } })
})

test('the answer of a saved question is a table', async () => {
  const question = { metrics: ['visitors', 'events'], dimensions: ['country'], window: '7d' }
  const body = { siteId: shop.siteId, kind: 'query' as const, name: 'Countries', question }
  const { body: report } = await shop.call(createReport, { body })
  const { out } = await assay('show', report.id)
  expect(out.split('\n').slice(0, 2)).toEqual(['country  visitors  events', 'total    0         0'])
})

test.each([
  [[], 2, /Name an action/],
  [['show'], 2, /Name an action/],
  [['list', 'x'], 2, /Name an action/],
  [['show', 'rep_x'], 3, /no such report/i],
  [['list', '--site', 'site_x'], 3, /site/],
])('%j is refused with a reason', async (args, exitCode, said) => {
  expect(await assay(...args)).toMatchObject({ exitCode, err: expect.stringMatching(said) })
})
