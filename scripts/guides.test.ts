import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { getOverview } from '@assay/contract'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countByName, type Lab, named, openLab } from '../sdk/browser/test/testing/lab.ts'
import type { TestWorkspace } from '../server/src/testing/harness.ts'
import { pathOf, type Snippet, snippetsIn } from './testing/snippets.ts'

const root = join(import.meta.dirname, '..')
let lab: Lab
/** Inside the repository, so that packages are found as in a project that has installed them. */
let folder = ''
beforeAll(async () => {
  mkdirSync(join(root, '.cache'), { recursive: true })
  folder = mkdtempSync(join(root, '.cache', 'guides-'))
  lab = await openLab()
})
afterAll(async () => {
  await lab?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The blocks of a guide, with address and keys of the workspace in place of the examples. */
function blocksOf(guide: string, ours: TestWorkspace, ...languages: string[]): Snippet[] {
  const page = `docs/guides/${guide}.md`
  return snippetsIn(page, readFileSync(join(root, page), 'utf8'), languages).map((snippet) => ({
    ...snippet,
    code: snippet.code
      .replaceAll('https://assay.example', lab.world.product.url)
      .replaceAll('pk_live_…', ours.keys.public)
      .replaceAll('process.env.ASSAY_KEY', JSON.stringify(ours.keys.secret)),
  }))
}

/** Writes the blocks as files, and answers where each is. */
function writeBlocks(blocks: readonly Snippet[]): Map<string, string> {
  const files = new Map<string, string>()
  for (const block of blocks) {
    const path = pathOf(block)
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, block.code)
    files.set(path.slice(path.indexOf('/') + 1), file)
  }
  return files
}

async function open(html: string): Promise<Page> {
  const page = await (await lab.browser.newContext()).newPage()
  await page.goto(lab.site.page(`<!doctype html><title>Shop</title>${html}`))
  return page
}

async function revenueOf(ours: TestWorkspace): Promise<number | null> {
  await ours.settle()
  const query = { siteId: ours.siteId, window: '24h', includeBots: true } as const
  return (await ours.call(getOverview, { query })).body.metrics.revenue
}

test('a plain page counts the visit, the click and the person', async () => {
  const ours = await lab.world.newWorkspace()
  const [head] = blocksOf('plain-page', ours, 'html')
  const scripts = blocksOf('plain-page', ours, 'js').map(({ code }) => `<script>${code}</script>`)
  const page = await open(`${head?.code}<button id="buy">Buy</button>${scripts.join('')}`)
  await page.click('#buy')
  const stored = await lab.storedWith(ours, 'plan_chosen')
  expect(countByName(stored)).toMatchObject({ $pageview: 1, plan_chosen: 1 })
  expect(named(stored, 'plan_chosen')[0]).toMatchObject({ user_id: 'u_17', properties: { plan: 'pro' } })
})

test('a tag manager brings the script, and its second tag sends an event', async () => {
  const ours = await lab.world.newWorkspace()
  const [tag, event] = blocksOf('tag-manager', ours, 'js')
  const page = await open(`<script>${tag?.code}</script>`)
  await page.waitForFunction('window.assay && window.assay.track')
  await page.evaluate(event?.code ?? '')
  const stored = await lab.storedWith(ours, 'plan_chosen')
  expect(countByName(stored)).toMatchObject({ $pageview: 1, plan_chosen: 1 })
})

test('a React app counts its page view, its events and who is signed in', async () => {
  const ours = await lab.world.newWorkspace()
  const files = writeBlocks(blocksOf('react', ours, 'ts', 'tsx'))
  // The package is this file: a test of the packages compares them.
  const module = join(folder, 'sdk.mjs')
  writeFileSync(module, await (await fetch(`${lab.world.product.url}/sdk.mjs`)).text())
  const { outputFiles } = await build({
    entryPoints: [files.get('src/main.tsx') ?? ''],
    bundle: true,
    write: false,
    jsx: 'automatic',
    alias: { '@assay/browser': module },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const page = await open(`<div id="root"></div><script>${outputFiles[0]?.text}</script>`)
  await page.click('text=pro')
  const stored = await lab.storedWith(ours, 'plan_chosen')
  expect(countByName(stored)).toMatchObject({ $pageview: 1, plan_chosen: 1 })
  expect(named(stored, 'plan_chosen')[0]).toMatchObject({ user_id: 'u_17', properties: { plan: 'pro' } })
})

test('an API route of Next and an endpoint of Astro report an order with its revenue', async () => {
  const ours = await lab.world.newWorkspace()
  const order = { id: 'o_1', amount: 20, userId: 'u_1' }
  const next = writeBlocks(blocksOf('next', ours, 'ts'))
  const handler: { default: (request: object, response: object) => Promise<void> } = await load(
    next.get('pages/api/orders.ts'),
  )
  const answers: unknown[] = []
  const response = { status: () => ({ json: (body: unknown) => answers.push(body) }) }
  await handler.default({ body: order }, response)
  expect(answers).toEqual([{ id: 'o_1' }])

  const astro = writeBlocks(blocksOf('astro', ours, 'ts'))
  const endpoint: { POST: (context: object) => Promise<Response> } = await load(
    astro.get('src/pages/api/orders.ts'),
  )
  const body = JSON.stringify({ ...order, id: 'o_2', amount: 22.5 })
  const request = new Request('http://shop.example/api/orders', { method: 'POST', body })
  expect((await endpoint.POST({ request })).status).toBe(201)
  expect(await revenueOf(ours)).toBe(42.5)
})

test('the rewrites of Next lead the script and its events to the product, and nothing else', async () => {
  const ours = await lab.world.newWorkspace()
  const files = writeBlocks(blocksOf('next', ours, 'ts'))
  const config: { default: { rewrites: () => Promise<{ source: string; destination: string }[]> } } =
    await load(files.get('next.config.ts'))
  const { url } = lab.world.product
  expect(await config.default.rewrites()).toEqual([
    { source: '/stats/sdk.js', destination: `${url}/sdk.js` },
    { source: '/stats/replay.js', destination: `${url}/replay.js` },
    { source: '/stats/v1/:path*', destination: `${url}/v1/:path*` },
  ])
})

test('WordPress prints the script tag for visitors, and reports a paid order once', async () => {
  const ours = await lab.world.newWorkspace()
  const [plugin] = blocksOf('wordpress', ours, 'php')
  const files = {
    'assay.php': plugin?.code ?? '',
    'run.php': `<?php
define('ASSAY_KEY', '${ours.keys.secret}');
require '${join(import.meta.dirname, 'testing', 'wordpress.php')}';
require __DIR__ . '/assay.php';
do_action(...array_slice($argv, 1, 1), ...array_map('intval', array_slice($argv, 2)));
`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const php = async (role: string, ...args: string[]) => {
    const env = { ...process.env, ROLE: role }
    return (await promisify(execFile)('php', [join(folder, 'run.php'), ...args], { env })).stdout
  }

  const { url } = lab.world.product
  const tag = `<script async src="${url}/sdk.js" data-key="${ours.keys.public}"></script>\n`
  expect(await php('visitor', 'wp_head')).toBe(tag)
  expect(await php('editor', 'wp_head')).toBe('')
  expect(JSON.parse(await php('visitor', 'woocommerce_payment_complete', '41'))).toMatchObject({
    outcome: 'accept',
  })
  await php('visitor', 'woocommerce_payment_complete', '41')
  expect(await revenueOf(ours)).toBe(49.9)
})

test('the pixel of Shopify reports an order with its revenue', async () => {
  const ours = await lab.world.newWorkspace()
  const [pixel] = blocksOf('shopify', ours, 'js')
  const listeners: ((event: object) => Promise<void>)[] = []
  const analytics = {
    subscribe: (name: string, listener: (event: object) => Promise<void>) => {
      expect(name).toBe('checkout_completed')
      listeners.push(listener)
    },
  }
  new Function('analytics', pixel?.code ?? '')(analytics)
  const checkout = { currencyCode: 'EUR', totalPrice: { amount: 12.5 }, order: { id: 'o_1' } }
  for (const listener of listeners) {
    await listener({ id: 'e_1', clientId: 'visitor-1', data: { checkout } })
  }
  expect(await revenueOf(ours)).toBe(12.5)
})

/** Node reads TypeScript. */
function load<Module>(file: string | undefined): Promise<Module> {
  return import(pathToFileURL(file ?? '').href)
}
