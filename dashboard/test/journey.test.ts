import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openSite, type Site } from '../../sdk/browser/test/testing/site.ts'
import { startWorld, type World } from '../../server/src/testing/harness.ts'
import { text } from './testing/all-text.ts'
import { enterPage } from './testing/choose.ts'
import { visitorBrowser } from './testing/visitor-browser.ts'

let world: World
let browser: Browser
let site: Site
let page: Page

/** A machine that is busy with other test files takes its time over a page. */
const patienceMs = 60_000
const journeyMs = 480_000

beforeAll(async () => {
  ;[world, browser, site] = await Promise.all([startWorld(), openBrowser(), openSite()])
  page = await openPage()
  await world.product.dashboard.page()
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await site?.close()
  await world?.close()
})

async function openPage(): Promise<Page> {
  const context = await browser.newContext({ baseURL: world.product.url, ...visitorBrowser })
  context.setDefaultTimeout(patienceMs)
  return context.newPage()
}

const button = (name: string) => page.getByRole('button', { name, exact: true })
const shown = (words: string | RegExp) => page.getByText(words).first().waitFor()
const field = (label: string) => page.getByLabel(label, { exact: true })

/** A visitor views a page with the snippet, identifies, and chooses a plan. */
async function visit(address: string, userId: string): Promise<void> {
  const visitor = await openPage()
  await visitor.goto(address)
  await visitor.waitForFunction('typeof window.assay?.flush === "function"')
  await visitor.evaluate(`assay.identify('${userId}', { name: '${userId}' })`)
  await visitor.evaluate("assay.track('plan_chosen', { plan: 'pro' })")
  const { dropped } = await visitor.evaluate<{ dropped: number }>('assay.flush()')
  expect(dropped).toBe(0)
  await visitor.context().close()
}

/** The way from the list of people to one of them. */
const personLink = 'main table a[href*="/people/per_"]'

/** Looks up a person, repeatedly until their events are loaded. */
async function findPerson(userId: string): Promise<string> {
  await enterPage(page, 'people', text.pages.people)
  await field(text.people.search).fill(userId)
  await page.waitForURL(({ searchParams }) => searchParams.get('search') === userId)
  // What was found a moment ago is remembered; here it has to be asked again.
  await page.reload()
  const found = page.locator(personLink)
  const hrefNow = async () => {
    if ((await found.count()) === 0) await page.reload()
    const href = found.first().getAttribute('href', { timeout: 20_000 })
    return href.catch(() => null)
  }
  await expect.poll(hrefNow, { timeout: patienceMs }).not.toBeNull()
  return /per_\w+/.exec((await hrefNow()) ?? '')?.[0] ?? ''
}

/** By the link that a first start prints. */
async function signIn(): Promise<void> {
  await page.goto(world.product.signInUrl ?? '')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await shown(text.overview.silent)
}

/** A new server counts unregistered events; this makes it quarantine them. */
async function beStrict(): Promise<void> {
  await enterPage(page, 'quality', text.pages.registry)
  await button(text.gate.toStrict).click()
  await page.getByRole('dialog').getByRole('button', { name: text.gate.toStrict, exact: true }).click()
  await shown(text.gate.means.strict)
  await enterPage(page, 'home', text.pages.overview)
}

/** By the snippet that the guide gives out; the guide says when it has come. */
async function sendFirstEvents(): Promise<void> {
  await page.getByRole('main').getByRole('link', { name: text.pages.start, exact: true }).click()
  await shown(text.start.waiting)
  await button(text.start.makePublicKey).click()
  await shown(text.start.keyOnce)
  const snippet = (await page.locator('.code code').first().textContent()) ?? ''
  expect(snippet).toContain('data-key="pk_live_')
  const address = site.page(`<!doctype html><title>Plans</title><h1>Plans</h1>${snippet}`)
  await visit(address, 'journey-anna')
  await visit(address, 'journey-bert')
  await page.getByRole('main').getByRole('link', { name: text.start.toOverview, exact: true }).waitFor()
}

/**
 * The live view shows that it is quarantined; then it gets a contract, and all waiting events are released.
 */
async function registerHeld(): Promise<void> {
  await enterPage(page, 'home', text.pages.live)
  const held = page.getByRole('listitem').filter({ hasText: 'plan_chosen' }).first()
  await held.getByText(text.outcomes.quarantine, { exact: true }).waitFor()
  await held.getByText('plan_chosen', { exact: true }).click()
  await held.getByText('pro', { exact: true }).waitFor()
  await held.getByRole('link', { name: text.live.reviewOf('plan_chosen'), exact: true }).click()
  await page.getByRole('link', { name: text.fixes.register, exact: true }).click()
  expect(await page.getByLabel(text.registry.key, { exact: true }).inputValue()).toBe('plan_chosen')
  await button(text.registry.publish).click()
  await page.getByRole('heading', { name: 'plan_chosen', level: 1, exact: true }).waitFor()
  await shown(text.registry.statuses.published)
}

async function seeFunnel(last: string): Promise<void> {
  await enterPage(page, 'paths', text.pages.funnels)
  await page.getByRole('link', { name: text.funnels.own, exact: true }).click()
  await field(text.funnels.event(2)).fill('plan_chosen')
  await page.getByRole('option', { name: /plan_chosen/ }).click()
  await button(text.funnels.show).click()
  const bar = page.locator('.funnel li').last()
  const words = async () => {
    const found = await bar.textContent()
    if (!found?.includes(last)) await page.reload()
    return found
  }
  await expect.poll(words, { timeout: patienceMs, interval: 1_000 }).toContain(last)
}

/** Who signed in on which device is noted with the load of the events, and decides by which id a person goes. */
async function seeLinks(count: number): Promise<void> {
  await enterPage(page, 'people', text.pages.ledger)
  const rows = page.getByRole('button', { name: new RegExp(`^${text.ledger.reverse} `) })
  const found = async () => {
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await expect.poll(() => page.locator('.bone').count(), { timeout: patienceMs }).toBe(0)
    const seen = await rows.count()
    if (seen < count) await page.reload()
    return seen
  }
  await expect.poll(found, { timeout: patienceMs, interval: 1_000 }).toBe(count)
}

async function merge(other: string): Promise<void> {
  await page.locator(personLink).first().click()
  await field(text.people.otherId).fill(other)
  await field(text.people.reason).fill('one and the same')
  await button(text.people.preview).click()
  await button(text.people.mergeNow).click()
  await shown(text.people.merged)
}

async function reverse(): Promise<void> {
  await enterPage(page, 'people', text.pages.ledger)
  await page
    .getByRole('row', { name: /one and the same/ })
    .getByRole('button')
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(text.people.reason, { exact: true }).fill('two after all')
  await dialog.getByRole('button', { name: text.ledger.reverse, exact: true }).click()
  await shown(text.ledger.done(2))
}

async function forget(userId: string): Promise<void> {
  await page.locator(personLink).first().click()
  await page.getByRole('main').getByRole('link', { name: text.people.request, exact: true }).click()
  await button(text.requests.forget).click()
  await page.getByRole('dialog').getByRole('button', { name: text.requests.forget, exact: true }).click()
  await page
    .getByRole('row', { name: new RegExp(text.requests.types.forget) })
    .getByText(text.requests.statuses.completed, { exact: true })
    .waitFor({ timeout: 2 * patienceMs })
  await enterPage(page, 'people', text.pages.people)
  await field(text.people.search).fill(userId)
  await page.waitForURL(({ searchParams }) => searchParams.get('search') === userId)
  await page.reload()
  await shown(text.people.nobody)
}

test(
  'a fresh server takes its first event, releases an unknown one into a funnel, and merges two people, separates them, and erases them',
  async () => {
    await signIn()
    await beStrict()
    await sendFirstEvents()
    await registerHeld()
    await seeFunnel('2 (100%)')
    await seeLinks(2)
    const bert = await findPerson('journey-bert')
    const anna = await findPerson('journey-anna')
    expect(anna).not.toBe(bert)
    await merge(bert)
    expect(await findPerson('journey-bert')).toBe(await findPerson('journey-anna'))
    await reverse()
    expect(await findPerson('journey-bert')).toBe(bert)
    await forget('journey-bert')
    expect(await findPerson('journey-anna')).toBe(anna)
    await seeFunnel('1 (100%)')
  },
  journeyMs,
)
