import { listApiKeys, revokeApiKey } from '@assay/contract'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { TestWorkspace } from '../../../server/src/testing/harness.ts'
import { requestsMax } from '../src/delivery/budget.ts'
import { type Lab, named, openLab, snippetPage } from './testing/lab.ts'
import { openRelay, type Relay } from './testing/relay.ts'

let lab: Lab
let relay: Relay
let ours: TestWorkspace

beforeAll(async () => {
  lab = await openLab()
  relay = await openRelay(lab.world.product.url)
  // Built at the first call, which takes a slow machine a while.
  for (const file of ['sdk.js', 'replay.js']) await (await fetch(`${relay.url}/${file}`)).text()
})
afterAll(async () => {
  await relay?.close()
  await lab?.close()
})
afterEach(async () => {
  for (const context of lab.browser.contexts()) await context.close()
  relay.state = 'up'
})

const patience = { timeout: 20_000, interval: 20 }
/** A developer reads the first message only. */
const advice = /^Assay stopped: key refused \(40[13]\)$/

/** Requests that a page makes, counted by the browser, and what it prints to the console. */
type Watch = { page: Page; asked: string[]; open: () => number; warnings: string[] }

/** A page of the shop with everything on, the recorder too, whose calls pass through the relay. */
function shopPage(key: string, options: object = {}): string {
  const recorder = `<script async src="${relay.url}/replay.js" data-key="${key}"></script>`
  const body = `<button id="buy">Buy</button><form id="order" onsubmit="return false"></form>${recorder}`
  return lab.site.page(snippetPage(relay.url, key, body, options))
}

async function watch(context: BrowserContext): Promise<Watch> {
  const page = await context.newPage()
  const watched: Watch = { page, asked: [], warnings: [], open: () => begun - ended }
  let begun = 0
  let ended = 0
  const isOurs = (url: string) => url.startsWith(relay.url) && !url.endsWith('.js')
  // The browser does not always report how a beacon ended.
  const isBeacon = (request: Request) => request.resourceType() === 'ping'
  page.on('request', (request) => {
    if (!isOurs(request.url())) return
    if (!isBeacon(request)) begun += 1
    watched.asked.push(`${request.method()} ${request.url().slice(relay.url.length)}`)
  })
  const end = (request: Request) => {
    if (isOurs(request.url()) && !isBeacon(request)) ended += 1
  }
  page.on('requestfinished', end).on('requestfailed', end)
  page.on('console', (message) => {
    if (message.type() === 'warning') watched.warnings.push(message.text())
  })
  // Uses a fake clock, so hours pass immediately.
  await page.clock.install()
  return watched
}

async function open({ page }: Watch, address: string): Promise<void> {
  await page.goto(address)
  await page.waitForFunction('window.assay && window.assay.track')
  await page.waitForLoadState('load')
}

/** Less than any request waits for its answer. */
const stepMs = 15_000

/**
 * Everything a page can do, minute by minute, with answers in between if there are any. The clock of the page stands
 * still until they are there: to the page, a server on a slow machine would have been silent for a minute.
 */
async function beBusy({ page, open: openRequests }: Watch, minutes: number, answers = true): Promise<void> {
  const answered = () => vi.waitUntil(() => openRequests() === 0, patience)
  for (let minute = 0; minute < minutes; minute += 1) {
    await page.evaluate(`
      for (let n = 0; n < 30; n++) assay.track('$search', { query: 'q' + n })
      assay.identify('u_${minute}', { plan: 'pro' })
      assay.alias('u_${minute}')
      if (${minute} % 5 === 4) assay.consent({ ad_storage: ${minute} % 2 ? 'granted' : 'denied' })
      assay.error(new Error('broken'))
      buy.click()
      order.requestSubmit()
      history.pushState({}, '', '?minute=${minute}')
      document.body.append('more')
      void assay.flush()
      dispatchEvent(new Event('pagehide'))
      dispatchEvent(new Event('online'))`)
    for (let ms = 0; answers && ms < 60_000; ms += stepMs) {
      await answered()
      await page.clock.runFor(stepMs)
    }
    if (answers) await answered()
    else await page.clock.runFor(60_000)
  }
}

describe('a key that is refused', () => {
  test('ends all requests of the page, with one warning that says what to do', async () => {
    ours = await lab.world.newWorkspace()
    const watched = await watch(await lab.browser.newContext())
    await open(watched, shopPage('pk_live_wrong'))
    await beBusy(watched, 15)
    expect(watched.asked.length).toBeGreaterThan(0)
    // The definitions and the first events, which do not wait for each other.
    expect(watched.asked.length).toBeLessThanOrEqual(3)
    expect(watched.warnings).toEqual([expect.stringMatching(advice)])
  })

  test('in the middle of a visit ends it there', async () => {
    ours = await lab.world.newWorkspace()
    const watched = await watch(await lab.browser.newContext())
    await open(watched, shopPage(ours.keys.public))
    await beBusy(watched, 2)
    expect(watched.warnings).toEqual([])
    const { data } = (await ours.call(listApiKeys, { query: {} })).body
    const key = data.find(({ kind }) => kind === 'public')
    expect((await ours.call(revokeApiKey, { params: { id: String(key?.id) } })).status).toBe(200)
    const before = watched.asked.length
    // What is sent before the first answer does not wait for it, and a page that is left does not see one.
    await beBusy(watched, 2)
    const after = watched.asked.length
    expect(after - before).toBeLessThanOrEqual(8)
    await beBusy(watched, 13)
    expect(watched.asked.slice(after)).toEqual([])
    expect(watched.warnings).toEqual([expect.stringMatching(advice)])
  })
})

/** Three times the longest that the SDK waits before it tries again; one answer is tried for an hour. */
const busyMinutes = 15

describe('a page’s busy time', () => {
  // The model of the queue tries all other answers.
  test.each([
    [429, busyMinutes],
    [500, 60],
    [413, busyMinutes],
    [422, busyMinutes],
  ] as const)(
    'is a handful of requests to a server that answers %i, in %i minutes',
    async (status, minutes) => {
      ours = await lab.world.newWorkspace()
      relay.state = status
      const watched = await watch(await lab.browser.newContext())
      await open(watched, shopPage(ours.keys.public))
      await beBusy(watched, minutes)
      expect(watched.asked.length).toBeGreaterThan(1)
      expect(watched.asked.length).toBeLessThanOrEqual(requestsMax)
      expect(watched.warnings).toEqual([])
    },
  )

  test.each(['down', 'opaque', 'hang'] as const)(
    'is a handful of requests over a network that is %s',
    async (state) => {
      ours = await lab.world.newWorkspace()
      relay.state = state
      const watched = await watch(await lab.browser.newContext())
      await open(watched, shopPage(ours.keys.public))
      await beBusy(watched, busyMinutes, state !== 'hang')
      expect(watched.asked.length).toBeGreaterThan(1)
      expect(watched.asked.length).toBeLessThanOrEqual(requestsMax)
    },
  )

  test('is a handful over many pages too, and the next one after a rest delivers everything', async () => {
    ours = await lab.world.newWorkspace()
    relay.state = 503
    const address = shopPage(ours.keys.public)
    const watched = await watch(await lab.browser.newContext())
    for (let visit = 0; visit < 12; visit += 1) {
      await open(watched, `${address}?visit=${visit}`)
      await watched.page.evaluate(`assay.track('$search', { query: 'visit ${visit}' })`)
      await watched.page.clock.runFor(3_000)
    }
    expect(watched.asked.length).toBeGreaterThan(1)
    expect(watched.asked.length).toBeLessThanOrEqual(requestsMax)
    relay.state = 'up'
    await watched.page.clock.runFor(3_600_000)
    await open(watched, address)
    await watched.page.clock.runFor(10_000)
    const stored = await lab.storedWith(ours, '$search', 12)
    const visits = named(stored, '$search').map(({ properties }) => properties.query)
    expect(visits.sort()).toEqual(Array.from({ length: 12 }, (_, visit) => `visit ${visit}`).sort())
  })
})

test('a server that is well hears of everything, however often the page is hidden in between', async () => {
  ours = await lab.world.newWorkspace()
  const watched = await watch(await lab.browser.newContext())
  await open(watched, shopPage(ours.keys.public))
  for (let turn = 0; turn < 12; turn += 1) {
    await watched.page.evaluate(
      `assay.track('$search', { query: 'turn ${turn}' }); dispatchEvent(new Event('pagehide'))`,
    )
    await watched.page.clock.runFor(100)
    await vi.waitUntil(() => watched.open() === 0, patience)
  }
  await watched.page.clock.runFor(5_000)
  expect(named(await lab.storedWith(ours, '$search', 12), '$search')).toHaveLength(12)
})

test('what a refusal costs is reported with the next events that arrive, and never alone', async () => {
  ours = await lab.world.newWorkspace()
  const watched = await watch(await lab.browser.newContext())
  const capture = { pageViews: false, vitals: false, scroll: false, sessions: false, definitions: false }
  await open(watched, lab.site.page(snippetPage(relay.url, ours.keys.public, '', { capture })))
  relay.state = 422
  await watched.page.evaluate(`for (let n = 0; n < 3; n++) assay.track('$search', { query: 'lost' + n })`)
  await watched.page.clock.runFor(100)
  await vi.waitUntil(() => watched.asked.length === 1 && watched.open() === 0, patience)
  relay.state = 'up'
  await watched.page.clock.runFor(600_000)
  expect(watched.asked).toEqual(['POST /v1/batch'])
  await watched.page.evaluate(`assay.track('$search', { query: 'kept' })`)
  await watched.page.clock.runFor(100)
  const stored = await lab.storedWith(ours, 'sdk_loss')
  expect(watched.asked).toEqual(['POST /v1/batch', 'POST /v1/batch'])
  expect(named(stored, '$search').map(({ properties }) => properties.query)).toEqual(['kept'])
  expect(named(stored, 'sdk_loss').map(({ properties }) => properties)).toMatchObject([
    { reason: 'http_422', count: 3 },
  ])
})
