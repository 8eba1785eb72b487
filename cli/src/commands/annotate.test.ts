import { listAnnotations } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../../server/src/testing/harness.ts'
import { openShell, type Shell } from '../testing/shell.ts'

let world: World
let shop: TestWorkspace
let shell: Shell

beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
  shop = await world.newWorkspace()
  shell = openShell()
})
afterAll(async () => {
  shell?.remove()
  await world?.close()
})

const annotate = (...args: string[]) =>
  shell.assay(['annotate', ...args, '--server', world.product.url, '--key', shop.keys.live])

async function marked() {
  return (await shop.call(listAnnotations, { query: { window: '400d' } })).body.data
}

test('a deploy script marks a moment for every site, or for the site of the project', async () => {
  const made = await annotate('Deployed 4.2.0', '--link', 'https://example.com/4.2.0')
  expect(made).toMatchObject({ exitCode: 0, out: expect.stringContaining('every site: Deployed 4.2.0') })
  const at = '2026-06-01T00:00:00+02:00'
  expect((await annotate('Sale', '--at', at, '--site', shop.siteId)).exitCode).toBe(0)
  shell.write('assay.json', { server: world.product.url, site: shop.siteId, events: 'events', code: [] })
  expect((await annotate('Of the project', '--json')).json()).toMatchObject({ siteId: shop.siteId })
  expect((await annotate('Of all', '--all-sites', '--json')).json()).toMatchObject({ siteId: null })
  const texts = (await marked()).map(({ text, siteId, link }) => ({ text, siteId, link }))
  expect(texts).toEqual([
    { text: 'Sale', siteId: shop.siteId, link: null },
    { text: 'Deployed 4.2.0', siteId: null, link: 'https://example.com/4.2.0' },
    { text: 'Of the project', siteId: shop.siteId, link: null },
    { text: 'Of all', siteId: null, link: null },
  ])
})

test.each([
  [[], 2, /Say what happened/],
  [['two', 'words'], 2, /quotes/],
  [['x', '--site', 'site_x', '--all-sites'], 2, /exclude/],
  [['x', '--site', 'site_x'], 3, /site/],
  [['x', '--at', 'yesterday'], 3, /RFC 3339/],
  [['x', '--link', 'javascript:x'], 3, /https address/],
])('%j is refused with a reason', async (args, exitCode, said) => {
  const before = await marked()
  expect(await annotate(...args)).toMatchObject({ exitCode, err: expect.stringMatching(said) })
  expect(await marked()).toEqual(before)
})
