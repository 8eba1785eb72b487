import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createShare, type Input, revokeShare, updateShare } from '@assay/contract'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../../../sdk/browser/test/testing/site.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

const hourMs = 3_600_000

let world: World
let browser: Browser
let shop: TestWorkspace
/** Another site, which shows the address that it is asked for in a frame. */
let blog: Server

beforeAll(async () => {
  ;[world, browser] = await Promise.all([startWorld({ control: 'embedded' }), openBrowser()])
  blog = createServer((request, response) => {
    const framed = new URL(request.url ?? '/', 'http://blog').searchParams.get('show') ?? ''
    response.setHeader('content-type', 'text/html').end(`<iframe src="${framed}"></iframe>`)
  })
  await new Promise<void>((resolve) => blog.listen(0, '127.0.0.1', resolve))
  shop = await world.newWorkspace()
  const events = Array.from({ length: 12 }, (_, nth) => ({
    event: '$pageview',
    anonymous_id: `visitor-${nth}`,
    ts: new Date(Date.now() - nth * hourMs).toISOString(),
    historical: true,
    properties: { url: 'https://shop.example/cart', title: 'Cart' },
  }))
  await shop.send(events, { outcomes: ['accept', 'warn'] })
})
afterAll(async () => {
  await browser?.close()
  blog?.close()
  await world?.close()
})

async function share(wanted: Partial<Input<typeof createShare>['body']> = {}) {
  const body = { siteId: shop.siteId, type: 'overview' as const, ...wanted }
  return (await shop.call(createShare, { body })).body
}

/** A visitor without a session. What the browser refuses to run or load stands in its console. */
async function visit(url: string, options: BrowserContextOptions = {}) {
  const page = await (await browser.newContext(options)).newPage()
  const refused: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') refused.push(message.text())
  })
  const answer = await page.goto(url)
  return { page, refused, status: answer?.status() }
}

const heading = (page: Page) => page.locator('h1').textContent()

test('a link shows figures, a chart and lists, in wide and narrow windows, and the browser refuses nothing', async () => {
  const { url, id } = await share()
  const { page, refused, status } = await visit(url)
  expect({ status, heading: await heading(page), refused }).toEqual({
    status: 200,
    heading: 'Overview',
    refused: [],
  })
  const visitors = page.locator('.figures div', { hasText: 'Visitors' })
  expect(await visitors.locator('dd').textContent()).toBe('12')
  expect(await page.locator('.ranked').first().textContent()).toContain('/cart')
  expect((await page.locator('.chart .line').first().boundingBox())?.width).toBeGreaterThan(100)
  for (const width of [1_280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    const wide = await page.evaluate('document.documentElement.scrollWidth')
    expect(wide, `${width}`).toBeLessThanOrEqual(width)
  }
  await shop.call(revokeShare, { params: { id } })
  expect((await page.reload())?.status()).toBe(404)
  expect(await heading(page)).toBe('This link cannot be shown')
  await page.context().close()
}, 120_000)

test('a link with a password opens with it, and not without it', async () => {
  const { url } = await share({ password: 'correct horse' })
  const signedIn = (password: string) => visit(url, { httpCredentials: { username: 'anyone', password } })
  // A browser without a window cannot ask for one.
  const [without, wrong] = [await visit(url), await signedIn('wrong horse')]
  for (const { status, page } of [without, wrong]) {
    expect({ status, heading: await heading(page) }).toEqual({
      status: 401,
      heading: 'This link cannot be shown',
    })
  }
  const { page, status } = await signedIn('correct horse')
  expect({ status, heading: await heading(page) }).toEqual({ status: 200, heading: 'Overview' })
  for (const opened of [page, without.page, wrong.page]) await opened.context().close()
}, 120_000)

test('a link is shown in a frame of the sites that it names, and of no other', async () => {
  // boundary: it listens on a port.
  const { port } = blog.address() as AddressInfo
  const { url, id } = await share()
  const around = `http://127.0.0.1:${port}/?show=${encodeURIComponent(url)}`
  const alone = await visit(around)
  await expect.poll(() => alone.refused.join('\n')).toContain('frame-ancestors')
  await shop.call(updateShare, { params: { id }, body: { origins: [`http://127.0.0.1:${port}`] } })
  const named = await visit(around)
  expect(await named.page.frameLocator('iframe').locator('h1').textContent()).toBe('Overview')
  expect(named.refused).toEqual([])
  for (const { page } of [alone, named]) await page.context().close()
}, 120_000)
