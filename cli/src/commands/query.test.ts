import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSite } from '@assay/contract'
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
  const visit = (who: number, path: string) => ({
    event: '$pageview',
    anonymous_id: `visitor-${who}`,
    properties: { url: `https://shop.example${path}`, title: 'Page' },
  })
  const events = [visit(1, '/cart'), visit(2, '/cart'), visit(3, '/')]
  await shop.send(events, { outcomes: ['accept', 'warn'] })
})
afterAll(async () => {
  shell?.remove()
  await world?.close()
})

const assay = (...args: string[]) =>
  shell.assay(['query', ...args, '--server', world.product.url, '--key', shop.keys.live])

test('a question of options, of a text and of a file gives the same table, and JSON is the whole answer', async () => {
  const byOptions = await assay('--metrics', 'visitors,pageviews', '--by', 'page', '--window', '7d')
  expect(byOptions).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/^page +visitors +pageviews\n\/cart +2 +2\n\/ +1 +1\ntotal +3 +3\n$/),
  })
  const question = { metrics: ['visitors', 'pageviews'], dimensions: ['page'], window: '7d' }
  expect((await assay(JSON.stringify(question))).out).toBe(byOptions.out)
  const file = join(shell.directory, 'question.json')
  writeFileSync(file, JSON.stringify({ ...question, window: '90d' }))
  expect((await assay('--file', file, '--window', '7d')).out).toBe(byOptions.out)
  const filtered = await assay('--filters', '[["is","page",["/cart"]]]', '--compare', '--json')
  expect(filtered.json()).toMatchObject({ siteId: shop.siteId, totals: { metrics: { visitors: 2 } } })
})

test('a filtered total is compared in the same line', async () => {
  const { out } = await assay('--filters', '[["is","page",["/cart"]]]', '--compare')
  expect(out).toMatch(/^ +visitors\ntotal +2 \(0\)\n$/)
})

test.each([
  [['{'], 2, /not JSON/],
  [['[]'], 2, /not an object/],
  [['a', 'b'], 2, /in quotes/],
  [['--limit', 'ten'], 2, /whole number/],
  [['--file', 'nowhere.json'], 2, /cannot be read/],
  [['{}', '--file', 'x'], 2, /not both/],
  [['--metrics', 'happiness'], 3, /visitors/],
  [['--site', 'site_x'], 3, /site/],
])('%j is refused with a reason', async (args, exitCode, said) => {
  expect(await assay(...args)).toMatchObject({ exitCode, err: expect.stringMatching(said) })
})

test('of several sites one has to be named', async () => {
  const { body: other } = await shop.call(createSite, { body: { name: 'Docs', domain: 'docs.example' } })
  expect(await assay()).toMatchObject({ exitCode: 2, err: expect.stringContaining('--site') })
  expect((await assay('--site', other.id)).out).toMatch(/total +0/)
})
