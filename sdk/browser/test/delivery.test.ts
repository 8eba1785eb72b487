import { getPerson, getReceipt, resolveIdentity, updateSite } from '@assay/contract'
import { build, stop } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { TestWorkspace } from '../../../server/src/testing/harness.ts'
import { countByName, type Lab, leave, named, openLab, type Stored } from './testing/lab.ts'
import { openRelay, type Relay, type Seen } from './testing/relay.ts'

let lab: Lab
let relay: Relay
let ours: TestWorkspace

beforeAll(async () => {
  lab = await openLab()
  relay = await openRelay(lab.world.product.url)
})
afterAll(async () => {
  await relay?.close()
  await lab?.close()
})
afterEach(async () => {
  relay.state = 'up'
  // Pages send their last events when they are closed.
  for (const context of lab.browser.contexts()) await context.close()
  relay.seen.length = 0
})

/** Only what a test sends itself, so that it can count. */
const quiet = Object.fromEntries(
  'pageViews clicks rageClicks forms scroll errors vitals sessions definitions'
    .split(' ')
    .map((name) => [name, false]),
)
const patience = { timeout: 20_000, interval: 50 }

/** A page of a new workspace whose calls pass through the relay. */
async function address(body = '', options: object = {}, attributes = ''): Promise<string> {
  ours = await lab.world.newWorkspace()
  return lab.page(ours, body, { host: relay.url, capture: quiet, ...options }, attributes)
}

const track = (page: Page, count: number, from = 0): Promise<void> =>
  page.evaluate(`for (let n = ${from}; n < ${from + count}; n++) assay.track('$search', { query: 'q' + n })`)

const queries = (stored: readonly Stored[]): unknown[] =>
  named(stored, '$search')
    .map(({ properties }) => properties.query)
    .sort()
const expected = (count: number): string[] => Array.from({ length: count }, (_, n) => `q${n}`).sort()

/**
 * When events happened, by the page's clock: the product corrects those of a call that took long to arrive.
 */
const sentTimes = (name: string): number[] =>
  callsTo('/v1/batch')
    .flatMap(({ batch }) => (Array.isArray(batch) ? batch : []))
    .filter(({ event }) => event === name)
    .map(({ ts }) => Number(ts))

const callsTo = (path: string) => relay.seen.filter((call) => call.path === path).map((call) => call.body)
const kept = (page: Page): Promise<string[]> => page.evaluate('Object.keys(localStorage)')

describe('the network', () => {
  test('may be away: what happened offline is stored once, at the times when it happened', async () => {
    const context = await lab.browser.newContext()
    const page = await lab.visit(await address(), context)
    await context.setOffline(true)
    const before = Number(await page.evaluate('Date.now()'))
    await track(page, 3)
    const after = Number(await page.evaluate('Date.now()'))
    await page.waitForFunction('Object.keys(localStorage).length > 1')
    await context.setOffline(false)
    const stored = await lab.storedWith(ours, '$search', 3)
    expect(queries(stored)).toEqual(expected(3))
    const times = sentTimes('$search')
    expect(times.length).toBeGreaterThanOrEqual(3)
    expect(times.filter((ms) => !(ms >= before && ms <= after))).toEqual([])
    await vi.waitUntil(async () => (await kept(page)).length === 1, patience)
  })

  test('may still be away when the page goes: the next page sends what was left', async () => {
    const context = await lab.browser.newContext()
    const shop = await address()
    const page = await lab.visit(shop, context)
    await context.setOffline(true)
    await track(page, 5)
    await leave(page)
    await context.setOffline(false)
    await lab.visit(shop, context)
    expect(queries(await lab.storedWith(ours, '$search', 5))).toEqual(expected(5))
  })

  test('may fail again and again: the same events are sent again, each attempt with its own sent_at', async () => {
    const page = await lab.visit(await address())
    relay.state = 503
    await track(page, 2)
    await vi.waitUntil(() => relay.seen.length >= 2, patience)
    relay.state = 'up'
    expect(queries(await lab.storedWith(ours, '$search', 2))).toEqual(expected(2))
    const attempts = callsTo('/v1/batch')
    const ids = attempts.map(({ batch }) => JSON.stringify(batch))
    expect(new Set(ids).size).toBe(1)
    expect(new Set(attempts.map(({ sent_at }) => sent_at)).size).toBe(attempts.length)
  })

  test('may break after the server has stored: the repeat is known, and nothing counts twice', async () => {
    const page = await lab.visit(await address())
    await track(page, 2)
    await lab.storedWith(ours, '$search', 2)
    const [first] = callsTo('/v1/batch')
    await fetch(`${lab.world.product.url}/v1/batch`, { method: 'POST', body: JSON.stringify(first) })
    expect(queries(await lab.stored(ours))).toEqual(expected(2))
  })

  test('may refuse large bodies: a batch is quartered until it passes', async () => {
    const page = await lab.visit(await address())
    relay.state = 413
    await track(page, 8)
    await vi.waitUntil(() => relay.seen.length >= 2, patience)
    relay.state = 'up'
    expect(queries(await lab.storedWith(ours, '$search', 1)).length).toBeGreaterThan(0)
    const sizes = callsTo('/v1/batch').map(({ batch }) => Array.isArray(batch) && batch.length)
    expect(sizes.slice(0, 2)).toEqual([8, 2])
  })
})

describe('a page', () => {
  test('may close right after an event: everything is stored, once', async () => {
    const page = await lab.visit(await address('', { flushMs: 60_000 }))
    await track(page, 15)
    await leave(page)
    expect(queries(await lab.storedWith(ours, '$search', 15))).toEqual(expected(15))
  })

  test('may close with more than a browser takes along: the next page sends the rest, all of it once', async () => {
    const context = await lab.browser.newContext()
    const shop = await address('', { flushMs: 60_000 })
    const page = await lab.visit(shop, context)
    relay.state = 'down'
    await page.evaluate(
      `for (let n = 0; n < 19; n++) assay.track('$search', { query: 'q' + n, pad: 'x'.repeat(9000) })`,
    )
    relay.state = 'up'
    await leave(page)
    await lab.visit(shop, context)
    expect(queries(await lab.storedWith(ours, '$search', 19))).toEqual(expected(19))
  })

  test('may be open twice: both are one visitor in one session, and each event is stored once', async () => {
    const context = await lab.browser.newContext()
    const shop = await address('', { capture: { ...quiet, sessions: true } })
    const first = await lab.visit(shop, context)
    const second = await lab.visit(shop, context)
    await Promise.all([track(first, 10), track(second, 10, 10)])
    const stored = await lab.storedWith(ours, '$search', 20)
    expect(queries(stored)).toEqual(expected(20))
    expect(new Set(stored.map(({ anonymous_id, session_id }) => `${anonymous_id} ${session_id}`)).size).toBe(
      1,
    )
    expect(countByName(stored)).toEqual({ $session_start: 1, $search: 20 })
  })

  test('may call before the script is there, and hold it twice', async () => {
    const body = `<script>
      var moments = [Date.now()]; assay('track', '$search', { query: 'early' }); moments.push(Date.now())</script>`
    const shop = await address(body, { capture: { ...quiet, pageViews: true } })
    const html = await (await fetch(shop)).text()
    const twice = html.replace('</head>', `${/<script async.*?<\/script>/s.exec(html)?.[0]}</head>`)
    const page = await lab.visit(lab.site.page(twice))
    // boundary: the page's own list of two times.
    const [before, after] = (await page.evaluate('moments')) as [number, number]
    await leave(page)
    const stored = await lab.storedWith(ours, 'page_leave')
    expect(countByName(stored)).toEqual({ $search: 1, $pageview: 1, page_leave: 1 })
    // The moment of the call, not that of the script's arrival.
    expect(sentTimes('$search').filter((ms) => !(ms >= before && ms <= after))).toEqual([])
  })

  test('may throw and misuse everything: nothing of ours reaches it, and what works is stored', async () => {
    const thrown: string[] = []
    const page = await lab.visit(await address('', { capture: { ...quiet, errors: true } }))
    page.on('pageerror', (error) => thrown.push(error.message))
    await page.evaluate(`
      const circle = {}; circle.self = circle
      assay.track('$search', circle)
      assay.track('$search', { get query() { throw new Error('getter') } })
      assay.track('$search', { query: 10n })
      assay.identify(circle, circle)
      assay.consent(null)
      assay('no such call')
      assay.send()
      Object.defineProperty(document, 'title', { configurable: true, get() { throw new Error('title') } })
      assay.track('$search', { query: 'without a title' })
      delete document.title
      assay.track('$search', { query: 'q0' })
      setTimeout(() => { throw new RangeError('of the page') })
      history.pushState({}, '', '/elsewhere')
      try { history.pushState({}, '', 'https://other.example/') } catch (error) { document.body.dataset.refused = error.name }`)
    expect(await page.evaluate('document.body.dataset.refused')).toBe('SecurityError')
    const stored = await lab.storedWith(ours, 'error')
    await vi.waitUntil(() => thrown.length > 0, patience)
    expect(thrown).toEqual(['of the page'])
    expect(queries(stored)).toEqual(['q0'])
    expect(named(stored, 'error').map(({ properties }) => properties.message)).toEqual(['of the page'])
    const lost = await lab.storedWith(ours, 'sdk_loss')
    expect(named(lost, 'sdk_loss').map(({ properties }) => properties.reason)).toContain('sdk_error')
  })

  test('may be forbidden to keep anything: visits of a day are still one visitor, recognised by the server', async () => {
    const shop = await address()
    // A frame without an origin: the browser refuses it local storage, cookies and all.
    const frame = lab.site.page(`<!doctype html><iframe sandbox="allow-scripts" src="${shop}"></iframe>`)
    const context = await lab.browser.newContext()
    const page = await context.newPage()
    for (const from of [0, 2]) {
      await page.goto(frame)
      const inner = page.frames()[1]
      await inner?.waitForFunction('window.assay && window.assay.track')
      await inner?.evaluate(
        `assay.track('$search', { query: 'q${from}' }); assay.track('$search', { query: 'q${from + 1}' })`,
      )
      await lab.storedWith(ours, '$search', from + 2)
    }
    const stored = await lab.stored(ours)
    expect(queries(stored)).toEqual(expected(4))
    const ids = new Set(stored.map(({ anonymous_id, session_id }) => `${anonymous_id} ${session_id}`))
    expect([...ids]).toEqual([expect.stringMatching(/^vis_/)])
  })
})

describe('a visit', () => {
  test('ends after half an hour without a sign, whatever the clock of the device says', async () => {
    const context = await lab.browser.newContext()
    const shop = await address('', { capture: { ...quiet, sessions: true } })
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(shop)
    await page.waitForFunction('window.assay && window.assay.track')
    await track(page, 1)
    await page.clock.runFor(100)
    await lab.storedWith(ours, '$search', 1)
    await page.clock.fastForward(31 * 60_000)
    await track(page, 1, 1)
    await page.clock.runFor(100)
    const stored = await lab.storedWith(ours, '$search', 2)
    const [before, after] = named(stored, '$search')
    expect(after?.session_id).not.toBe(before?.session_id)
    expect(countByName(stored)).toEqual({ $session_start: 2, $session_end: 1, $search: 2 })
    const [end] = named(stored, '$session_end')
    expect(end).toMatchObject({
      session_id: before?.session_id,
      properties: { session_id: before?.session_id },
    })
    // The second event was 31 minutes in the future by the device's clock; sent_at corrects that.
    expect(Math.abs(Date.parse(`${after?.ts}Z`) - Date.now())).toBeLessThan(60_000)
  })
})

describe('losses', () => {
  test('are bounded, counted by reason, and reported to the page and the product', async () => {
    const context = await lab.browser.newContext()
    const page = await lab.visit(await address(), context)
    await context.setOffline(true)
    await track(page, 1_100)
    await page.evaluate(`assay.track('$search', { query: 'x'.repeat(40000) })`)
    await context.setOffline(false)
    // The losses are sent with the first batch, so the last event says that all of it has arrived.
    const stored = await lab.storedWith(ours, '$search', 1_000)
    expect(named(stored, '$search')).toHaveLength(1_000)
    const losses = named(stored, 'sdk_loss').map(({ properties }) => [properties.reason, properties.count])
    expect(Object.fromEntries(losses)).toEqual({ queue_full: 100, event_too_large: 1 })
  })

  test('do not contain what the server rejected: the server counted that itself, and the page is notified', async () => {
    const page = await lab.visit(await address())
    await page.evaluate('assay.track("$purchase", { currency: "EUR" })')
    const delivery = await page.evaluate('assay.flush()')
    expect(delivery).toEqual({ sent: 1, dropped: 1 })
    await track(page, 1)
    expect(countByName(await lab.storedWith(ours, '$search'))).toEqual({ $search: 1 })
  })
})

describe('consent', () => {
  const nothing = { cookies: '', kept: [] }
  const traces = (page: Page) =>
    page.evaluate('({ cookies: document.cookie, kept: Object.keys(localStorage) })')

  test('is waited for: before it nothing is sent or kept, after it everything arrives with its own time', async () => {
    const page = await lab.visit(await address('', {}, 'data-consent="denied"'))
    await track(page, 3)
    const happenedAt = Number(await page.evaluate('Date.now()'))
    await page.evaluate('assay.flush()')
    expect(await traces(page)).toEqual(nothing)
    expect(relay.seen).toEqual([])
    await page.waitForFunction(`Date.now() > ${happenedAt} + 300`)
    await page.evaluate('assay.consent("granted")')
    const stored = await lab.storedWith(ours, '$search', 3)
    expect(queries(stored)).toEqual(expected(3))
    const times = sentTimes('$search')
    expect(times.length).toBeGreaterThanOrEqual(3)
    expect(times.filter((ms) => !(ms <= happenedAt))).toEqual([])
    expect(relay.seen[0]).toMatchObject({
      path: '/v1/consent',
      body: {
        anonymous_id: stored[0]?.anonymous_id,
        categories: { analytics_storage: 'granted', ad_storage: 'granted' },
        source: 'browser_sdk',
        gpc: false,
        effective_at: expect.stringMatching(/Z$/),
        write_key: ours.keys.public,
      },
    })
    expect(await kept(page)).toHaveLength(1)
  })

  test('is what a site under a law that asks first needs: events wait for it, and are stored under its record', async () => {
    const shop = await address('', {}, 'data-consent="denied"')
    const regime = await ours.call(updateSite, {
      params: { id: ours.siteId },
      body: { consentRegime: 'gdpr' },
    })
    expect(regime.status).toBe(200)
    const page = await lab.visit(shop)
    await track(page, 2)
    await page.evaluate('assay.consent({ analytics_storage: "granted" })')
    const stored = await lab.storedWith(ours, '$search', 2)
    expect(countByName(stored)).toEqual({ $search: 2 })
    const [first] = stored
    const receipt = await ours.call(getReceipt, { params: { event_id: String(first?.event_id) } })
    expect(receipt.body.consent_record_id).toMatch(/^con_/)
    await page.evaluate('assay.consent("denied")')
    const answered = ({ path, status }: Seen) => path === '/v1/consent' && status !== undefined
    await vi.waitUntil(() => relay.seen.filter(answered).length === 2, patience)
    const late = { write_key: ours.keys.public, event: '$search', anonymous_id: first?.anonymous_id }
    const body = JSON.stringify({ ...late, properties: { query: 'late' } })
    const refused = await fetch(`${lab.world.product.url}/v1/track`, { method: 'POST', body })
    expect(await refused.json()).toMatchObject({ status: 422, errors: [{ code: 'consent_denied' }] })
  })

  test('is remembered by the next page, and sent to the server once', async () => {
    const context = await lab.browser.newContext()
    const shop = await address('', {}, 'data-consent="denied"')
    const page = await lab.visit(shop, context)
    await page.evaluate('assay.consent({ analytics_storage: "granted" })')
    const next = await lab.visit(shop, context)
    await track(next, 1)
    await lab.storedWith(ours, '$search', 1)
    await next.evaluate('assay.consent({ analytics_storage: "granted" })')
    await track(next, 1, 1)
    await lab.storedWith(ours, '$search', 2)
    expect(callsTo('/v1/consent')).toHaveLength(1)
    expect(callsTo('/v1/consent')[0]).toMatchObject({
      categories: { analytics_storage: 'granted', ad_storage: 'denied' },
    })
  })

  test('that is refused leaves nothing: what waited is dropped, and only what comes after a grant is stored', async () => {
    const page = await lab.visit(await address('', {}, 'data-consent="denied"'))
    await track(page, 2)
    await page.evaluate('assay.consent("denied")')
    await track(page, 2, 2)
    await page.evaluate('assay.identify("u_1"); assay.flush()')
    expect(await traces(page)).toEqual(nothing)
    expect(relay.seen).toEqual([])
    await page.evaluate('assay.consent("granted")')
    await track(page, 1, 4)
    expect(queries(await lab.storedWith(ours, '$search', 1))).toEqual(['q4'])
  })

  test('that is withdrawn is sent for the visitor, deletes what was stored, and ends all sending', async () => {
    const page = await lab.visit(await address())
    await track(page, 1)
    const [before] = await lab.storedWith(ours, '$search', 1)
    await page.evaluate('assay.consent("denied")')
    await vi.waitUntil(() => callsTo('/v1/consent').length === 1, patience)
    expect(callsTo('/v1/consent')[0]).toMatchObject({
      anonymous_id: before?.anonymous_id,
      categories: { analytics_storage: 'denied' },
    })
    expect(await traces(page)).toEqual(nothing)
    const calls = relay.seen.length
    await track(page, 5, 1)
    await page.evaluate('assay.flush()')
    expect(relay.seen).toHaveLength(calls)
    await page.evaluate('assay.consent("granted")')
    await track(page, 1, 6)
    const stored = await lab.storedWith(ours, '$search', 2)
    expect(queries(stored)).toEqual(['q0', 'q6'])
    expect(new Set(stored.map(({ anonymous_id }) => anonymous_id)).size).toBe(2)
  })

  test('is read from the data layer, as banners write it there', async () => {
    const layer = `<script>window.dataLayer = []; function gtag() { dataLayer.push(arguments) }
      gtag('consent', 'default', { analytics_storage: 'granted', region: ['US'] })
      gtag('consent', 'default', { analytics_storage: 'denied', ad_storage: 'denied', wait_for_update: 500 })</script>`
    const page = await lab.visit(await address(layer))
    await track(page, 1)
    await page.evaluate('assay.flush()')
    expect(relay.seen).toEqual([])
    await page.evaluate(`gtag('event', 'other'); gtag('consent', 'update', { analytics_storage: 'granted' })`)
    expect(queries(await lab.storedWith(ours, '$search', 1))).toEqual(['q0'])
    expect(callsTo('/v1/consent')[0]).toMatchObject({
      categories: { analytics_storage: 'granted', ad_storage: 'denied' },
    })
  })

  test('follows Global Privacy Control: advertising is denied until the visitor says otherwise', async () => {
    const context = await lab.browser.newContext()
    await context.addInitScript(
      'Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { value: true })',
    )
    const page = await lab.visit(await address(), context)
    await track(page, 1)
    await lab.storedWith(ours, '$search', 1)
    await page.evaluate('assay.consent({ ad_storage: "granted" })')
    await vi.waitUntil(() => callsTo('/v1/consent').length === 2, patience)
    const ads = { ad_storage: 'denied', ad_user_data: 'denied', ad_personalization: 'denied' }
    expect(callsTo('/v1/consent')).toMatchObject([
      { gpc: true, source: 'gpc', categories: ads },
      { gpc: true, source: 'browser_sdk', categories: { ...ads, ad_storage: 'granted' } },
    ])
  })
})

describe('a person', () => {
  test('is named from then on, in order with the events, and forgotten by a reset', async () => {
    const page = await lab.visit(await address())
    await page.evaluate(`
      assay.track('$search', { query: 'q0' })
      assay.identify('u_17', { plan: 'pro' })
      assay.track('$search', { query: 'q1' })
      assay.alias('u_17', 'old_17')
      assay.reset()
      assay.track('$search', { query: 'q2' })`)
    const stored = await lab.storedWith(ours, '$search', 3)
    const [before, after, next] = named(stored, '$search').sort((a, b) =>
      String(a.properties.query).localeCompare(String(b.properties.query)),
    )
    expect(before).toMatchObject({ user_id: '' })
    expect(after).toMatchObject({ user_id: 'u_17', anonymous_id: before?.anonymous_id })
    expect(next).toMatchObject({ user_id: '' })
    expect(next?.anonymous_id).not.toBe(before?.anonymous_id)
    expect(next?.session_id).not.toBe(before?.session_id)
    expect(relay.seen.map(({ path }) => path).slice(0, 4)).toEqual([
      '/v1/batch',
      '/v1/identify',
      '/v1/batch',
      '/v1/alias',
    ])
    expect(callsTo('/v1/identify')[0]).toMatchObject({
      anonymous_id: before?.anonymous_id,
      user_id: 'u_17',
      traits: { plan: 'pro' },
      write_key: ours.keys.public,
      sent_at: expect.any(Number),
    })
    expect(callsTo('/v1/alias')[0]).toMatchObject({ previous_id: 'old_17', user_id: 'u_17' })
    const personOf = async (type: string, value: string) => {
      const identifiers = [{ type, value }]
      return (await ours.call(resolveIdentity, { body: { identifiers, read_only: true } })).body.person_id
    }
    const person = String(await personOf('user_id', 'u_17'))
    expect(await personOf('anonymous_id', String(before?.anonymous_id))).toBe(person)
    expect(await personOf('anonymous_id', 'old_17')).toBe(person)
    const { body } = await ours.call(getPerson, { params: { id: person } })
    expect(body.traits).toMatchObject({ plan: 'pro' })
  })
})

describe('Segment’s own browser SDK', () => {
  /** Each client handles one event at a time, with a pause of some milliseconds; so several are used. */
  const rounds = 2
  const clientsAtOnce = 50
  const eventsPerClient = 20
  const clients = rounds * clientsAtOnce
  const eventCount = clients * eventsPerClient
  /** It costs a page 1.6 ms per event; the limit allows for a busy machine. */
  const timeoutMs = 240_000

  test(
    'has 2,000 events stored with only host and key changed, each once with its name, person and time',
    async () => {
      ours = await lab.world.newWorkspace()
      const context = await lab.browser.newContext()
      const page = await context.newPage()
      await page.goto(lab.site.page(`<!doctype html><title>Other</title><script>${await program()}</script>`))
      const begunAt = Date.now()
      for (let round = 0; round < rounds; round += 1) await page.evaluate(`sendRound(${round})`)
      const wait = { timeout: timeoutMs, interval: 200 }
      await vi.waitUntil(async () => (await countStored('$search')) >= eventCount, wait)
      const stored = await lab.stored(ours)
      // A call that had to wait for a connection looks like a wrong clock, and its events are moved up to its
      // arrival.
      const endedAt = Date.now()
      expect(countByName(stored)).toEqual({ $pageview: clients, $identify: clients, $search: eventCount })
      expect(queries(stored)).toEqual(expected(eventCount))
      for (const { user_id, ts } of named(stored, '$search')) {
        const isInTime = Date.parse(`${ts}Z`) >= begunAt && Date.parse(`${ts}Z`) <= endedAt
        if (user_id !== 'u_9' || !isInTime) throw new Error(`stored wrongly: ${user_id} ${ts}`)
      }
    },
    timeoutMs,
  )

  function program(): Promise<string> {
    const settings = {
      apiKey: ours.keys.public,
      apiHost: `${lab.world.product.url.replace('http://', '')}/v1`,
      protocol: 'http',
      // It measures the whole batch again for each event added, so large ones are slow.
      deliveryStrategy: { strategy: 'batching', config: { size: 10, timeout: 200 } },
    }
    return bundleSegment(`
      const cdnSettings = { integrations: { 'Segment.io': ${JSON.stringify(settings)} } }
      const sendAs = async (client) => {
        // It would read its cookies for each event, which takes longer than all else together.
        const options = { disableClientPersistence: true }
        const analytics = AnalyticsBrowser.load({ writeKey: '${ours.keys.public}', cdnSettings }, options)
        await analytics.page('Docs')
        await analytics.identify('u_9', { plan: 'pro' })
        const from = client * ${eventsPerClient}
        const calls = []
        for (let n = from; n < from + ${eventsPerClient}; n++)
          calls.push(analytics.track('Products Searched', { query: 'q' + n }))
        await Promise.all(calls)
      }
      window.sendRound = (round) => Promise.all(
        Array.from({ length: ${clientsAtOnce} }, (_, client) => sendAs(round * ${clientsAtOnce} + client)))`)
  }
})

async function countStored(name: string): Promise<number> {
  await ours.settle()
  const [row] = await lab.world.product.deps.events.query<{ count: string | number }>(
    'SELECT count() AS count FROM events WHERE workspace_id = {ws:String} AND name = {name:String}',
    { ws: ours.workspaceId, name },
  )
  return Number(row?.count ?? 0)
}

async function bundleSegment(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { AnalyticsBrowser } from '@segment/analytics-next'\n${program}`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'iife',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  await stop()
  // Inside an HTML page a closing script tag ends the script.
  return (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script')
}
