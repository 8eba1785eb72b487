import {
  getOverview,
  identify,
  listApiKeys,
  type Outcome,
  resolveIdentity,
  revokeSession,
} from '@assay/contract'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../sdk/browser/test/testing/site.ts'
import {
  startWorld,
  type TestPerson,
  type TestWorkspace,
  type World,
} from '../../server/src/testing/harness.ts'
import { text } from './testing/all-text.ts'
import { budgetTasks } from './testing/budget-tasks.ts'
import { follow, pageHrefs } from './testing/choose.ts'
import { latestTasks } from './testing/figures/latest-tasks.ts'
import { listTasks } from './testing/figures/list-tasks.ts'
import { numberTasks } from './testing/figures/number-tasks.ts'
import { fill, plansChosen } from './testing/fill.ts'
import { fillSettings } from './testing/fill-settings.ts'
import { trapPath } from './testing/fill-watch.ts'
import { filledTasks } from './testing/filled-tasks.ts'
import { keepTasks } from './testing/keep-tasks.ts'
import { openedTasks } from './testing/opened-tasks.ts'
import { tryPopups } from './testing/popup-tasks.ts'
import { type Stage, watchTasks } from './testing/watch-tasks.ts'
import { violationsOn } from './testing/watched-page.ts'
import { tryForms, wrongInputTasks } from './testing/wrong-input.ts'

let world: World
let browser: Browser
let shop: TestWorkspace
let owner: TestPerson
let context: BrowserContext
let page: Page
/** What the browser complained about, and where. */
const complaints: string[] = []

/** What tests below bring about on purpose; the browser notes it whenever it likes. */
const provoked = new RegExp(
  [
    // Refusals: what is wrong, was meant to be, and is said in words.
    'status of 4(?:0[0149]|22)',
    'ERR_INTERNET_DISCONNECTED',
    // A recording that tries whatever a page can try.
    trapPath,
    "Blocked script execution in '[^']*/player\\.html'",
    'Refused to execute the redirect',
    "Framing 'http://127\\.0\\.0\\.1",
  ].join('|'),
)

/** A machine that is busy with other test files takes its time over a page. */
const patienceMs = 60_000
/** Time for a page to be drawn again after its width changed. */
const settleMs = 20_000
/** Of a whole task, on a machine several times slower than ours. */
const taskMs = 240_000

beforeAll(async () => {
  ;[world, browser] = await Promise.all([
    // A page to check is served by this machine.
    startWorld({ config: { allowPrivateCallbacks: true } }),
    openBrowser(),
  ])
  shop = await world.newWorkspace({ preset: 'strict' })
  owner = await world.signIn('owner', shop)
  await fill(shop)
  context = await browser.newContext({ baseURL: world.product.url })
  context.setDefaultTimeout(patienceMs)
  await context.addCookies([
    { name: 'assay_access', value: owner.accessToken, url: world.product.url, httpOnly: true },
  ])
  page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error' && !provoked.test(message.text())) {
      complaints.push(`${page.url()}: ${message.text()}`)
    }
  })
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`))
  // It is made from its source now, unless it was before.
  await world.product.dashboard.page()
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

const at = (page: string) => `/${shop.workspaceId}/${shop.siteId}/${page}`
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const shown = (words: string | RegExp) => page.getByText(words).first().waitFor()
/** Until nothing on the page is still on its way. */
async function settled(): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await expect.poll(() => page.locator('.bone').count(), { timeout: patienceMs }).toBe(0)
}

async function signInByMail(on: Page, email: string): Promise<void> {
  const linkNow = () => world.printed.findLast((line) => line.includes(email) && line.includes('#token='))
  const before = linkNow()
  await on.getByLabel('Email address', { exact: true }).fill(email)
  await on.getByRole('button', { name: 'Get a sign-in link', exact: true }).click()
  await expect.poll(linkNow, { timeout: patienceMs }).not.toBe(before)
  await on.goto(linkNow()?.match(/http\S+/)?.[0] ?? '')
  await on.getByRole('button', { name: 'Sign in', exact: true }).click()
  await on.waitForURL(({ pathname }) => pathname !== '/sign-in')
}

test('every address of the dashboard is one page under a strict policy, its files are immutable, and the interface is untouched', async () => {
  const { url } = world.product
  const ask = (path: string) => fetch(url + path, { headers: { 'accept-encoding': 'br' } })
  const [start, deep, missing] = await Promise.all([
    ask('/'),
    ask(at('registry/purchase')),
    ask('/v1/nowhere'),
  ])
  const html = await start.text()
  expect([start.status, await deep.text()]).toEqual([200, html])
  expect(start.headers.get('cache-control')).toBe('no-cache')
  expect(start.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? ''
  const file = await ask(script)
  expect([file.status, file.headers.get('content-encoding')]).toEqual([200, 'br'])
  expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const etag = file.headers.get('etag') ?? ''
  expect(
    (await fetch(url + script, { headers: { 'if-none-match': etag, 'accept-encoding': 'br' } })).status,
  ).toBe(304)
  expect([missing.status, missing.headers.get('content-type')?.split(';')[0]]).toEqual([
    404,
    'application/problem+json',
  ])
  expect((await ask('/assets/no-such-file.js')).status).toBe(404)
})

test('a visitor loads less than 200 KB before the first page', async () => {
  const loaded = await (await fetch(`${world.product.url}/`)).text()
  const names = [...loaded.matchAll(/"(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, name = '']) => name)
  const sizes = await Promise.all(
    names.map((name) => world.product.dashboard.asset(name.replace('/assets/', ''))),
  )
  const bytes = sizes.reduce((sum, file) => sum + (file?.bytes.gzip?.length ?? Number.NaN), 0)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThan(200_000)
})

test(
  'a visitor who is not signed in is sent to the sign-in, and from there to the requested page',
  async () => {
    const visitor = await browser.newContext({ baseURL: world.product.url })
    visitor.setDefaultTimeout(patienceMs)
    const visit = await visitor.newPage()
    await visit.goto(at('quarantine?event=plan_chosen'))
    await visit.waitForURL(({ pathname }) => pathname === '/sign-in')
    await signInByMail(visit, owner.email)
    await visit.waitForURL(({ pathname, search }) => pathname + search === at('quarantine?event=plan_chosen'))
    await visit.getByRole('heading', { name: 'plan_chosen', exact: true }).waitFor()
    await visitor.close()
  },
  taskMs,
)

test(
  'numbers on the screen are those that the interface gives for the same link, before and after a filter',
  async () => {
    await page.goto(at('overview?window=7d&timezone=UTC'))
    await page.locator('[data-metric=visitors]').waitFor()
    const figures = async () => {
      const names = ['visitors', 'sessions', 'pageviews', 'events', 'conversions'] as const
      const values = await Promise.all(
        names.map((name) => page.locator(`[data-metric=${name}] .value`).textContent()),
      )
      return Object.fromEntries(
        names.map((name, index) => [name, Number((values[index] ?? '').replaceAll(',', ''))]),
      )
    }
    const answered = async (filter: object) => {
      const query = { siteId: shop.siteId, window: '7d', timezone: 'UTC', ...filter }
      const { visitors, sessions, pageviews, events, conversions } = (await shop.call(getOverview, { query }))
        .body.metrics
      return { visitors, sessions, pageviews, events, conversions }
    }
    expect((await figures()).visitors).toBeGreaterThan(20)
    expect(await figures()).toEqual(await answered({}))
    await button('/pricing').click()
    await page.waitForURL(({ searchParams }) => searchParams.get('path') === '/pricing')
    const expected = await answered({ path: '/pricing' })
    await expect.poll(figures, { timeout: patienceMs }).toEqual(expected)
    await button(new RegExp(text.filters.remove('.*/pricing'))).click()
    await button(text.chart.asTable).click()
    await page.getByRole('group', { name: text.metrics.visitors, exact: true }).waitFor()
  },
  taskMs,
)

test(
  'an unknown event is quarantined, registered from there with a test, released, and counts',
  async () => {
    await follow(page, at('quarantine'))
    await page.getByRole('link', { name: 'plan_chosen', exact: true }).click()
    await page.getByRole('link', { name: text.fixes.register, exact: true }).click()
    expect(await page.getByLabel(text.registry.key, { exact: true }).inputValue()).toBe('plan_chosen')
    await button(text.registry.tryOut(7)).click()
    await shown(/events of the last 7 days were validated/)
    await button(text.registry.publish).click()
    await page.getByRole('heading', { name: 'plan_chosen', level: 1, exact: true }).waitFor()
    await shown(text.registry.statuses.published)
    const counted = async () => {
      const query = { siteId: shop.siteId, window: '30d', event: 'plan_chosen' }
      return (await shop.call(getOverview, { query })).body.metrics.events
    }
    await expect.poll(counted, { timeout: patienceMs }).toBe(plansChosen)
    await page.goto(at('quarantine?event=plan_chosen&code=unknown_event'))
    await shown(text.quarantine.nothingLeft)
  },
  taskMs,
)

test(
  'the receipt of an event shows its verdict, and a message says that there is none',
  async () => {
    await follow(page, at('receipts'))
    await page.getByLabel(text.receipts.eventId, { exact: true }).fill('dashboard-event-0')
    await page.keyboard.press('Enter')
    const accepted: Outcome = 'accept'
    await page.locator('.badge', { hasText: text.outcomes[accepted] }).waitFor()
    await page.getByLabel(text.receipts.eventId, { exact: true }).fill('no-such-event-anywhere')
    await page.keyboard.press('Enter')
    await shown(text.states.missing.title)
  },
  taskMs,
)

test(
  'a key is made and revoked with the keyboard alone',
  async () => {
    await follow(page, at('settings/api-keys'))
    await page.getByLabel(text.keys.name, { exact: true }).focus()
    await page.keyboard.type('Typed key')
    await page.keyboard.press('Enter')
    await shown(text.keys.once)
    const row = page.getByRole('row', { name: /Typed key/ })
    await row.getByRole('button').focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: text.keys.revokeTitle('Typed key'), exact: true })
    await dialog.waitFor()
    await dialog.getByRole('button', { name: text.keys.revoke, exact: true }).focus()
    await page.keyboard.press('Enter')
    await row.getByText(text.keys.revoked, { exact: true }).waitFor()
    const { data } = (await shop.call(listApiKeys, { query: {} })).body
    expect(data.find(({ name }) => name === 'Typed key')?.revoked_at).not.toBeNull()
  },
  taskMs,
)

test(
  'two people are merged after a preview, and the ledger takes it back',
  async () => {
    const personOf = async (value: string) => {
      const body = { identifiers: [{ type: 'user_id', value }], read_only: true }
      return (await shop.call(resolveIdentity, { body })).body.person_id ?? ''
    }
    for (const user of ['ada', 'max']) {
      const body = { anonymous_id: `device-of-${user}`, user_id: `user-${user}`, traits: { name: user } }
      await shop.call(identify, { body }, { key: shop.keys.secret })
    }
    const login = { event: '$login', user_id: 'user-ada', properties: { method: 'by-mail' } }
    await shop.send([login], { key: shop.keys.secret })
    const [ada, max] = [await personOf('user-ada'), await personOf('user-max')]
    await follow(page, at('people'))
    await page.getByLabel(text.people.search, { exact: true }).fill('user-ada')
    await page.waitForURL(({ searchParams }) => searchParams.get('search') === 'user-ada')
    await page.getByRole('link', { name: 'ada', exact: true }).click()
    const moments = page.locator('.event-list > li')
    await moments.filter({ hasText: '$login' }).getByText('$login', { exact: true }).click()
    await moments.getByText('by-mail', { exact: true }).waitFor()
    await follow(page, at(`people/${ada}?event=$identify`))
    await expect.poll(() => moments.allTextContents(), { timeout: patienceMs }).toHaveLength(1)
    await page.getByLabel(text.people.otherId, { exact: true }).fill(max)
    await page.getByLabel(text.people.reason, { exact: true }).fill('same person')
    await button(text.people.preview).click()
    await button(text.people.mergeNow).click()
    await shown(text.people.merged)
    expect(await personOf('user-max')).toBe(await personOf('user-ada'))
    await follow(page, at('ledger?type=merge'))
    await page
      .getByRole('row', { name: /same person/ })
      .getByRole('button')
      .click()
    await page.getByRole('dialog').getByLabel(text.people.reason, { exact: true }).fill('two after all')
    await page.getByRole('dialog').getByRole('button', { name: text.ledger.reverse, exact: true }).click()
    await shown(text.ledger.done(2))
    expect([await personOf('user-ada'), await personOf('user-max')]).toEqual([ada, max])
  },
  taskMs,
)

test(
  'while the server is away nothing typed is lost, and when it is back the page continues automatically',
  async () => {
    await follow(page, at('settings/sites'))
    await page.getByLabel(text.sites.name, { exact: true }).first().fill('Half-typed name')
    await context.setOffline(true)
    await button(text.acts.save).first().click()
    await shown(text.states.unreachable.waiting)
    await page.getByRole('link', { name: text.shell.areas.quality, exact: true }).waitFor()
    await context.setOffline(false)
    expect(await page.getByLabel(text.sites.name, { exact: true }).first().inputValue()).toBe(
      'Half-typed name',
    )
    await button(text.acts.save).first().click()
    await shown(text.sites.saved)
    await page.getByText(text.states.unreachable.waiting, { exact: true }).waitFor({ state: 'hidden' })
  },
  taskMs,
)

test(
  'a session that ends is reported, and after signing in elsewhere the page continues',
  async () => {
    await follow(page, at('settings/members'))
    await page.getByLabel(text.members.email, { exact: true }).fill('guest@example.com')
    await owner.call(revokeSession, { body: {} })
    await button(text.members.invite).click()
    await shown(text.states.signedOut.title)
    const elsewhere = await context.newPage()
    await elsewhere.goto('/sign-in')
    await signInByMail(elsewhere, owner.email)
    await elsewhere.close()
    await button(text.states.signedOut.goOn).click()
    await page.getByText(text.states.signedOut.title, { exact: true }).waitFor({ state: 'hidden' })
    expect(await page.getByLabel(text.members.email, { exact: true }).inputValue()).toBe('guest@example.com')
    await button(text.members.invite).click()
    await shown(text.members.handOver('guest@example.com'))
  },
  taskMs,
)

test(
  'by keys alone: the content is skipped to, a table is put in order, and a dialog keeps the focus and gives it back',
  async () => {
    await page.goto(at('settings/api-keys'))
    const opener = page.getByRole('button', { name: new RegExp(`^${text.keys.revoke}: `) }).first()
    await opener.waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('link', { name: text.shell.skip, exact: true }).press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
    await opener.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    // What watches over the ends of the dialog sends the focus back a moment later.
    const isInside = () => page.evaluate("document.activeElement.closest('[role=dialog]') !== null")
    for (const key of ['Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab']) {
      await expect.poll(isInside, { timeout: patienceMs }).toBe(true)
      await page.keyboard.press(key)
    }
    await expect.poll(isInside, { timeout: patienceMs }).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')")
    await expect.poll(focused, { timeout: patienceMs }).toBe(await opener.getAttribute('aria-label'))
    await follow(page, at('events'))
    const heading = page.getByRole('columnheader', { name: text.catalog.volume, exact: true })
    await heading.getByRole('button').press('Enter')
    await expect.poll(() => heading.getAttribute('aria-sort'), { timeout: patienceMs }).toBe('descending')
  },
  taskMs,
)

const stage = (): Stage => ({ world, shop, page, at, settled, inspect, patienceMs })
watchTasks(stage, taskMs)
keepTasks(stage, taskMs)
numberTasks(stage, taskMs)
listTasks(stage, taskMs)
latestTasks(stage, taskMs)
wrongInputTasks(stage, taskMs)
budgetTasks(stage, taskMs)
openedTasks(stage, taskMs)
filledTasks(stage, taskMs)

async function inspect(href: string): Promise<string[]> {
  const violations = await violationsOn(page)
  // A chart drawn for another width is drawn again a moment later.
  const isWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth + 1')
  const fits = await expect
    .poll(isWide, { timeout: settleMs })
    .toBe(false)
    .then(
      () => true,
      () => false,
    )
  return [...violations, ...(fits ? [] : ['scrolls sideways'])].map((finding) => `${href}: ${finding}`)
}

/** From page to page by a link, without a reload. */
async function enter(href: string): Promise<void> {
  await follow(page, href)
  await page.locator(`nav a[aria-current=page][href=${JSON.stringify(href)}]`).waitFor({ state: 'attached' })
  await settled()
}

describe(
  'every page',
  () => {
    const looks = [
      { width: 390, scheme: 'light' },
      { width: 768, scheme: 'dark' },
      { width: 1440, scheme: 'light' },
      { width: 1280, scheme: 'dark' },
    ] as const

    test(
      'is read by screen readers, fits the screen, answers wrong input in words, small and large, light and dark',
      async () => {
        await fillSettings(shop)
        await page.setViewportSize({ width: 1280, height: 900 })
        await page.goto(at('overview'))
        await settled()
        const hrefs = await pageHrefs(page)
        expect(hrefs.length).toBeGreaterThan(33)
        const findings: string[] = []
        const tried = new Set<string>()
        for (const [index, href] of hrefs.entries()) {
          const { width, scheme } = looks[index % looks.length] ?? looks[0]
          await page.setViewportSize({ width, height: 900 })
          await page.emulateMedia({ colorScheme: scheme })
          await enter(href)
          findings.push(...(await tryForms(stage(), href)))
          findings.push(...(await inspect(href)))
          findings.push(...(await tryPopups(page, href, `${width} ${scheme}`, tried)))
        }
        expect(findings).toEqual([])
        expect(tried.size).toBeGreaterThan(20)
      },
      // Every page, and every dialog and menu in it.
      2 * taskMs,
    )
  },
  2 * taskMs,
)

test('nothing was complained about on the way', () => {
  expect(complaints).toEqual([])
})
