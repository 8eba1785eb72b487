import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { identify, listReplayEvents, listReplays, type SessionReplay, updateSite } from '@assay/contract'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { TestWorkspace } from '../../../server/src/testing/harness.ts'
import { type Lab, leave, openLab } from './testing/lab.ts'

let lab: Lab

beforeAll(async () => {
  lab = await openLab()
  // Built at the first call, which takes a slow machine a while.
  for (const file of ['sdk.js', 'replay.js']) await (await fetch(`${lab.world.product.url}/${file}`)).text()
})
afterAll(() => lab?.close())

const patience = { timeout: 30_000, interval: 100 }
const playerScript = join(dirname(createRequire(import.meta.url).resolve('rrweb')), '../umd/rrweb.min.js')

/** A page with the recorder and the SDK, as a customer writes it. */
function recordedPage(at: TestWorkspace, body: string, sample = '1', attributes = ''): string {
  const recorder = `<script async src="${lab.world.product.url}/replay.js" data-key="${at.keys.public}"
    data-sample="${sample}"></script>`
  return lab.page(at, body + recorder, {}, attributes)
}

async function visit(address: string, context?: BrowserContext): Promise<Page> {
  const page = await lab.visit(address, context)
  // Both scripts have run by then.
  await page.waitForLoadState('load')
  return page
}

async function replaysOf(at: TestWorkspace, count: number): Promise<SessionReplay[]> {
  return vi.waitUntil(async () => {
    const { data } = (await at.call(listReplays, { query: {} })).body
    return data.length >= count && data
  }, patience)
}

async function eventsOf(at: TestWorkspace, id: string): Promise<unknown[]> {
  const found: unknown[] = []
  let cursor: string | undefined
  do {
    const query = cursor === undefined ? {} : { cursor }
    const { body } = await at.call(listReplayEvents, { params: { id }, query })
    found.push(...body.data)
    cursor = body.next_cursor ?? undefined
  } while (cursor !== undefined)
  return found
}

/** Whether the recorder runs, visible by what it stores for the next page of the tab. */
const isRecording = (page: Page) => page.waitForFunction("sessionStorage.getItem('assay.replay') !== null")

const shop = `
  <main>
    <h1 id="greeting" title="Hover for Margarethe">Welcome back, Margarethe Winterbottom</h1>
    <h2 data-replay-show>Catalogue of garden chairs</h2>
    <a href="/orders/customer-88215-invoice">Your last invoice 88215-INVOICE</a>
    <form><input id="card" type="text" placeholder="Card of Margarethe"><textarea id="note">first words</textarea>
      <label data-replay-show>Shown label <input id="shown" type="text"></label>
      <input type="checkbox" id="agree"><select id="size"><option>none</option><option value="secret-size">x</option></select>
      <input type="submit" value="Buy for Margarethe"></form>
    <section data-private><p>Account balance of 123456 EUR</p></section>
    <div id="face" style="width: 50px; height: 40px; background-image: url('/faces/margarethe-winterbottom.png')"></div>
    <button id="more" onclick="document.querySelector('main').insertAdjacentHTML('beforeend',
      '<p id=later data-label=late-attribute-of-hers>Later text about her</p><p id=open data-replay-show>Nine chairs found</p>')">More</button>
  </main>`

/** None of these may leave the browser. */
const secrets = [
  'Margarethe',
  'Winterbottom',
  'customer-88215-invoice',
  '88215-INVOICE',
  '4111-2222-3333',
  'hello neighbours',
  'first words',
  'typed next to a label',
  'secret-size',
  'Account balance',
  'late-attribute-of-hers',
  'Later text about her',
  'hidden-parameter-value',
]

describe('a visit that is recorded', () => {
  let events: unknown[] = []
  let replay: SessionReplay
  let ours: TestWorkspace

  beforeAll(async () => {
    ours = await lab.world.newWorkspace()
    const page = await visit(`${recordedPage(ours, shop)}?token=hidden-parameter-value`)
    await isRecording(page)
    await page.fill('#card', '4111-2222-3333')
    await page.fill('#note', 'hello neighbours')
    await page.fill('#shown', 'typed next to a label')
    await page.check('#agree')
    await page.selectOption('#size', 'secret-size')
    await page.click('#more')
    await page.evaluate("assay.identify('customer-of-the-test')")
    // From the next check on, the recording belongs to the person too.
    replay = await vi.waitUntil(async () => {
      await page.click('h2')
      const [found] = await replaysOf(ours, 1)
      return found?.user_id && found
    }, patience)
    await leave(page)
    events = await eventsOf(ours, replay.id)
  })

  test('is listed with its session and person, and found by them', async () => {
    expect(replay).toMatchObject({ site_id: ours.siteId, user_id: 'customer-of-the-test' })
    expect(replay.id.startsWith(`${replay.session_id}.`)).toBe(true)
    const body = { user_id: 'customer-of-the-test', anonymous_id: replay.anonymous_id }
    const { person_id } = (await ours.call(identify, { body }, { key: ours.keys.secret })).body
    const mine = await ours.call(listReplays, { query: { person_id } })
    expect(mine.body.data.map(({ id }) => id)).toEqual([replay.id])
  })

  test('contains nothing that someone typed or chose, and no text or attribute that the page does not show on purpose', () => {
    const everything = JSON.stringify(events)
    for (const secret of secrets) expect(everything, secret).not.toContain(secret)
    expect(everything).not.toContain('"isChecked":true')
    expect(everything).toContain('Catalogue of garden chairs')
  })

  test('can be played: the page is there as it was, with stars for what is masked', async () => {
    const context = await lab.browser.newContext()
    const page = await context.newPage()
    await page.goto(lab.site.page('<!doctype html><title>Player</title>'))
    await page.addScriptTag({ path: playerScript })
    await page.evaluate(`window.player = new rrweb.Replayer(${JSON.stringify(events)}, { showWarning: false })
      player.pause(player.getMetaData().totalTime)`)
    const find = (script: string) =>
      `(() => { const at = player.iframe.contentDocument; return ${script} })()`
    await page.waitForFunction(find("at.querySelector('#open')"))
    const text = (selector: string) => page.evaluate(find(`at.querySelector('${selector}')?.textContent`))
    expect(await text('h2')).toBe('Catalogue of garden chairs')
    expect(await text('#open')).toBe('Nine chairs found')
    expect(await text('#later')).toBe('***** **** ***** ***')
    expect(await text('#greeting')).toBe('******* ***** ********** ************')
    expect(await page.evaluate(find("at.querySelector('#card').value"))).toMatch(/^\*+$/)
    expect(await page.evaluate(find("at.querySelector('#shown').value"))).toMatch(/^\*+$/)
    expect(await text('[data-private]')).toBeFalsy()
    expect(await page.evaluate(find("at.querySelector('#face').style.width"))).toBe('50px')
    await context.close()
  })
})

test('nothing is recorded before the visitor agrees, and nothing after they no longer do', async () => {
  const ours = await lab.world.newWorkspace()
  const params = { id: ours.siteId }
  await ours.call(updateSite, { params, body: { consentRegime: 'gdpr', onDenied: 'reject' } })
  const page = await visit(recordedPage(ours, shop, '1', 'data-consent="denied"'))
  expect(await page.evaluate("sessionStorage.getItem('assay.replay')")).toBeNull()
  const grantedAt = Number(await page.evaluate("(assay.consent('granted'), Date.now())"))
  const [replay] = await replaysOf(ours, 1)
  // As when a page is closed: pending data would be sent now.
  await page.evaluate(`assay.consent('denied')
    document.body.insertAdjacentHTML('beforeend', '<p data-replay-show>Shown after they refused</p>')
    dispatchEvent(new Event('pagehide'))`)
  await leave(page)
  const events = await eventsOf(ours, replay?.id ?? '')
  const times = events.map((event) => Number(Object(event).timestamp))
  expect(times.filter((ms) => ms < grantedAt)).toEqual([])
  expect(JSON.stringify(events)).not.toContain('Shown after they refused')
})

test('a chunk whose answer has not come when the page is left is there', async () => {
  const ours = await lab.world.newWorkspace()
  const page = await visit(recordedPage(ours, '<p data-replay-show>Left while it was sent</p>'))
  // As on a slow machine: it is still being compressed.
  await page.evaluate(`globalThis.CompressionStream = class {
    readable = new ReadableStream()
    writable = new WritableStream({ write: () => { globalThis.isPacking = true } })
  }`)
  await page.waitForFunction('globalThis.isPacking')
  await leave(page)
  const [replay] = await replaysOf(ours, 1)
  const events = await eventsOf(ours, replay?.id ?? '')
  expect(JSON.stringify(events)).toContain('Left while it was sent')
})

test('pages of one visit in one tab are one replay, and of a share of none nothing is recorded', async () => {
  const ours = await lab.world.newWorkspace()
  const page = await visit(recordedPage(ours, '<p data-replay-show>First page of two</p>'))
  await isRecording(page)
  await page.goto(recordedPage(ours, '<p data-replay-show>Second page of two</p>'))
  const replays = await vi.waitUntil(async () => {
    const found = await replaysOf(ours, 1)
    const texts = await Promise.all(found.map(({ id }) => eventsOf(ours, id)))
    const pages = ['First page of two', 'Second page of two']
    return pages.every((text) => JSON.stringify(texts).includes(text)) && found
  }, patience)
  expect(replays).toHaveLength(1)
  await leave(page)

  const others = await lab.world.newWorkspace()
  const unsampled = await visit(recordedPage(others, shop, '0'))
  await leave(unsampled)
  await lab.storedWith(others, 'page_leave')
  expect((await others.call(listReplays, { query: {} })).body.data).toEqual([])
})
