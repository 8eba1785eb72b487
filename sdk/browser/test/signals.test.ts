import { createDefinition, ElementFingerprint, type SdkConfig } from '@assay/contract'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import type { TestWorkspace } from '../../../server/src/testing/harness.ts'
import type { Definition } from '../src/capture/definition.ts'
import { countByName, type Lab, leave, named, openLab, type Stored } from './testing/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab?.close())

const everySignal = `
  <main><button id="buy" class="primary css-1x2y3z" data-testid="buy-now">Buy <b>now</b></button>
  <label>Gift <input type="checkbox" id="gift"></label>
  <div style="cursor: pointer" id="card">Summer dress</div>
  <form id="letter" name="newsletter" onsubmit="return false">
    <input name="email" type="email"><textarea name="note"></textarea><input type="hidden" name="h" value="hidden-value">
    <input type="submit" value="Subscribe"></form>
  <p id="dead">Nothing happens here</p>
  <section data-private><button id="balance">Balance 1234</button><form id="own"><button>Own form</button></form></section>
  <section data-private><div id="host"></div></section>
  <script>host.attachShadow({ mode: 'open' }).innerHTML = '<button>Own shadow</button>'</script>
  <button id="account">Hello jane@example.com <span data-private>Jane Private</span></button>
  <button id="fail" onclick="null.explode()">Fail</button>
  <button id="reject" onclick="Promise.reject(new TypeError('no answer'))">Reject</button></main>
  <div style="height: 4000px"></div>`

async function useEverySignal(workspace: TestWorkspace, options: object = {}): Promise<Stored[]> {
  const page = await lab.visit(lab.page(workspace, everySignal, options))
  await page.click('#buy')
  await page.click('text=Gift')
  await page.click('#card')
  await page.fill('[name=email]', 'typed.secret@example.org')
  await page.fill('textarea', 'typed words')
  await page.keyboard.press('Tab')
  await page.click('[type=submit]')
  for (let click = 0; click < 4; click += 1) await page.click('#dead')
  await page.click('#balance')
  await page.evaluate(`host.shadowRoot.querySelector('button').click()`)
  await page.click('#account')
  await page.click('#fail')
  await page.click('#reject')
  await page.evaluate(
    'scrollTo(0, 1000); new Promise((done) => requestAnimationFrame(() => setTimeout(done)))',
  )
  await page.evaluate('assay.track("$search", { query: "dress" })')
  await leave(page)
  return lab.storedWith(workspace, '$search')
}

describe('a visit that uses every signal', () => {
  let stored: Stored[]
  beforeAll(async () => {
    const ours = await lab.world.newWorkspace()
    await useEverySignal(ours)
    stored = await lab.storedWith(ours, 'web_vital', 5)
  })

  test('is stored with each event once for each time that it happened', () => {
    expect(countByName(stored)).toEqual({
      $session_start: 1,
      $pageview: 1,
      // Buy, the box of the label, the card, the submit button, the account, and the two that break.
      $click: 7,
      $form_submit: 1,
      rage_click: 1,
      error: 2,
      $search: 1,
      page_leave: 1,
      scroll_depth: 1,
      web_vital: 5,
    })
    expect(new Set(stored.map(({ outcome }) => outcome))).toEqual(new Set(['accept']))
    expect(new Set(stored.map(({ session_id }) => session_id)).size).toBe(1)
    expect(new Set(stored.map(({ anonymous_id }) => anonymous_id)).size).toBe(1)
  })

  test('describes each clicked element well enough to find it again', () => {
    const [buy, gift, card, submit, account] = named(stored, '$click')
    expect(buy?.properties).toMatchObject({ element: 'buy', text: 'Buy now', selector: 'button#buy' })
    expect(buy?.properties.fingerprint).toMatchObject({
      tag: 'button',
      role: 'button',
      id: 'buy',
      classes: ['primary'],
      attributes: { 'data-testid': 'buy-now' },
      ancestors: ['body', 'main'],
      position: { width: expect.any(Number), height: expect.any(Number) },
    })
    for (const { properties } of named(stored, '$click'))
      expect(Value.Check(ElementFingerprint, properties.fingerprint)).toBe(true)
    expect(gift?.properties).toMatchObject({ element: 'gift', selector: 'input#gift' })
    expect(card?.properties).toMatchObject({ element: 'card', text: 'Summer dress' })
    expect(submit?.properties).toMatchObject({ text: 'Subscribe' })
    expect(account?.properties).toMatchObject({ text: 'Hello …' })
  })

  test('reports submits, rage clicks, errors, scrolling and vitals', () => {
    const [form] = named(stored, '$form_submit')
    expect(form?.properties).toMatchObject({ form_id: 'letter', form_name: 'newsletter', field_count: 2 })
    expect(named(stored, 'rage_click')[0]?.properties).toMatchObject({ click_count: 4, element: 'dead' })
    const errors = named(stored, 'error').map(({ properties }) => properties)
    expect(errors).toMatchObject([
      { name: 'TypeError', handled: false, stack: expect.stringContaining('TypeError') },
      { name: 'TypeError', message: 'no answer', handled: false },
    ])
    expect(named(stored, 'page_leave')[0]?.properties.duration_ms).toBeGreaterThan(0)
    const depth = Number(named(stored, 'scroll_depth')[0]?.properties.percent)
    expect(depth).toBeGreaterThan(30)
    expect(depth).toBeLessThan(60)
    const vitals = named(stored, 'web_vital').map(({ properties }) => properties.metric)
    expect(vitals.sort()).toEqual(['CLS', 'FCP', 'INP', 'LCP', 'TTFB'])
  })

  test('sends nothing that someone typed or that the page marks as private', () => {
    const everything = JSON.stringify(stored)
    const secrets = [
      'typed',
      'example.org',
      'hidden-value',
      'Balance',
      'Private',
      'jane@',
      'Own form',
      'shadow',
    ]
    for (const secret of secrets) expect(everything).not.toContain(secret)
  })
})

test('with every signal switched off only what the page itself tracks is stored', async () => {
  const ours = await lab.world.newWorkspace()
  const signals = 'pageViews clicks rageClicks forms scroll errors vitals sessions definitions'.split(' ')
  const capture = Object.fromEntries(signals.map((signal) => [signal, false]))
  expect(countByName(await useEverySignal(ours, { capture }))).toEqual({ $search: 1 })
})

test('a page that a script shows is a page view with its own title, referrer and time', async () => {
  const ours = await lab.world.newWorkspace()
  const address = lab.page(ours, '<h1>App</h1>', { capture: { vitals: false, scroll: false } })
  const page = await lab.visit(`${address}?token=4711&color=red#top`)
  /** The view is sent a moment after the script has shown the page. */
  const shown = (script: string, title: string) =>
    Promise.all([
      page.waitForRequest((request) => {
        const body = request.postData() ?? ''
        return body.includes('$pageview') && body.includes(`"title":"${title}"`)
      }),
      page.evaluate(script),
    ])
  await shown(
    'history.pushState({}, "", "/cart?step=1"); setTimeout(() => { document.title = "Cart" })',
    'Cart',
  )
  // The same page with another filter, set without a step in the history, is not a view.
  await page.evaluate('history.replaceState({}, "", "/cart?step=1&filter=2"); location.hash = "details"')
  await shown('history.replaceState({}, "", "/pay"); document.title = "Pay"', 'Pay')
  await shown('location.hash = "/pay/card"; document.title = "Card"', 'Card')
  await shown('document.title = "Back"; history.back()', 'Back')
  await leave(page)
  const stored = await lab.storedWith(ours, 'page_leave', 5)
  const { pathname } = new URL(address)
  const { origin } = new URL(address)
  expect(named(stored, '$pageview').map(({ properties }) => properties)).toMatchObject([
    { url: `${address}?token=&color=red`, title: 'Shop', referrer: '' },
    { url: `${origin}/cart?step=1`, title: 'Cart', referrer: `${address}?token=&color=red` },
    { url: `${origin}/pay`, title: 'Pay', referrer: `${origin}/cart?step=1&filter=2` },
    { url: `${origin}/pay#/pay/card`, title: 'Card', referrer: `${origin}/pay` },
    { url: `${origin}/pay`, referrer: `${origin}/pay#/pay/card` },
  ])
  expect(named(stored, 'page_leave').map(({ path }) => path)).toEqual([
    pathname,
    '/cart',
    '/pay',
    '/pay#/pay/card',
    '/pay',
  ])
  expect(countByName(stored)).toEqual({ $session_start: 1, $pageview: 5, page_leave: 5 })
})

test('events that were defined without code are sent for the element, once each time', async () => {
  expectTypeOf<Definition>().toEqualTypeOf<SdkConfig['definitions'][number]>()
  const ours = await lab.world.newWorkspace()
  const body = `<ul><li><button data-plan="pro"><span>Choose</span> Pro</button></li></ul>
    <a href="#more">  Read
      more </a> <form class="order" onsubmit="return false"><button>Send the order</button></form>
    <div style="height: 3000px"></div><h2>Frequent questions</h2>
    <script>setTimeout(() => document.body.insertAdjacentHTML('afterbegin', '<aside id=late>Late</aside>'), 100)</script>`
  const define = async (name: string, match: object) => {
    const page = '/page-*'
    const answer = await ours.call(createDefinition, {
      // boundary: the tests of the registry check the shape of a match.
      body: { name, match: { page, ...match } as Definition['match'] },
    })
    expect(answer.status).toBe(201)
  }
  await define('plan_chosen', { selector: 'button[data-plan]', on: 'click' })
  await define('more_read', { text: 'Read more', on: 'click' })
  await define('order_sent', { selector: 'form.order', on: 'submit' })
  await define('late_seen', { selector: '#late', on: 'view' })
  await define('questions_seen', { text: 'Frequent questions', on: 'view' })
  await define('page_seen', { on: 'view' })
  await define('elsewhere', { page: '/pricing', selector: 'button', on: 'click' })
  const capture = {
    clicks: false,
    forms: false,
    pageViews: false,
    scroll: false,
    vitals: false,
    sessions: false,
  }
  const page = await lab.visit(lab.page(ours, body, { capture }))
  await lab.storedWith(ours, 'late_seen')
  expect(named(await lab.stored(ours), 'questions_seen')).toEqual([])
  await page.click('[data-plan] span')
  await page.click('text=Read more')
  await page.click('text=Send the order')
  await page.evaluate('scrollTo(0, 9999)')
  await lab.storedWith(ours, 'questions_seen')
  await page.evaluate('scrollTo(0, 0)')
  await page.click('[data-plan]')
  await page.evaluate('scrollTo(0, 9999)')
  await leave(page)
  const stored = await lab.storedWith(ours, 'plan_chosen', 2)
  expect(countByName(stored)).toEqual({
    plan_chosen: 2,
    more_read: 1,
    order_sent: 1,
    late_seen: 1,
    questions_seen: 1,
    page_seen: 1,
  })
  expect(named(stored, 'plan_chosen')[0]?.context.element).toMatchObject({
    selector: 'li > button',
    text: 'Choose Pro',
    fingerprint: { tag: 'button' },
  })
})

test('the page hardly notices: starting, an event and a click each stay far below a frame', async () => {
  const ours = await lab.world.newWorkspace()
  const rows = '<li><button>A row of a long list</button></li>'.repeat(2_000)
  const context = await lab.browser.newContext()
  const page = await context.newPage()
  await page.goto(lab.site.page(`<!doctype html><title>Large</title><ul>${rows}</ul>`))
  const { url } = lab.world.product
  await page.evaluate(`import('${url}/sdk.mjs').then(({ init }) => { window.init = init })`)
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  /** Processor time of the page's main thread, without waiting for a core. */
  const usedMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1_000 * (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN)
  }
  const costOf = async (count: number, script: string) => {
    const before = await usedMs()
    await page.evaluate(`for (let n = 0; n < ${count}; n++) { ${script} }`)
    return ((await usedMs()) - before) / count
  }
  const options = JSON.stringify({ host: url, flushMs: 60_000 })
  const cost = {
    startMs: await costOf(1, `window.assay = init('${ours.keys.public}', ${options})`),
    trackMs: await costOf(500, "assay.track('$search', { query: 'q' + n })"),
    clickMs: await costOf(50, "document.querySelectorAll('button')[n * 20].click()"),
  }
  console.info(
    Object.entries(cost)
      .map(([name, ms]) => `${name} ${ms.toFixed(3)}`)
      .join(', '),
  )
  // The limit allows for machines that are several times slower.
  expect(cost.startMs).toBeLessThan(500)
  expect(cost.trackMs).toBeLessThan(2)
  expect(cost.clickMs).toBeLessThan(50)
  await context.close()
})
