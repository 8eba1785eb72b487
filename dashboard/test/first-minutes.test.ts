import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openSite, type Site } from '../../sdk/browser/test/testing/site.ts'
import { startWorld, type World } from '../../server/src/testing/harness.ts'
import { text } from './testing/all-text.ts'
import { pickByKeys, press, typeInto } from './testing/keys.ts'
import { visitorBrowser } from './testing/visitor-browser.ts'

let world: World
let browser: Browser
let site: Site

/** A machine that is busy with other test files takes its time over a page. */
const patienceMs = 60_000

beforeAll(async () => {
  ;[world, browser, site] = await Promise.all([
    startWorld({ control: 'embedded' }),
    openBrowser(),
    openSite(),
  ])
  await world.product.dashboard.page()
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await site?.close()
  await world?.close()
})

async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ baseURL: world.product.url, ...options })
  context.setDefaultTimeout(patienceMs)
  return context.newPage()
}

/** Opens what the checklist on Home says next. */
async function nextStep(page: Page, step: keyof typeof text.checklist.steps): Promise<void> {
  const home = page.getByRole('link', { name: text.shell.areas.home, exact: true }).first()
  if ((await page.getByText(text.checklist.title, { exact: true }).count()) === 0) await press(page, home)
  await press(page, page.getByRole('link', { name: text.checklist.steps[step], exact: true }))
}

/** The tag from the page of the dashboard, on a page of the newcomer, and a visitor there. */
async function visitWith(tag: string): Promise<void> {
  const visitor = await openPage(visitorBrowser)
  await visitor.goto(site.page(`<!doctype html><title>Plans</title><h1>Plans</h1>${tag}`))
  await visitor.waitForFunction('typeof window.assay?.flush === "function"')
  const { dropped } = await visitor.evaluate<{ dropped: number }>('assay.flush()')
  expect(dropped).toBe(0)
  await visitor.context().close()
}

test('the first ten minutes need no mouse: sign in, add the tag, see the first event, create a goal, invite a colleague', async () => {
  const page = await openPage()
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto(world.product.signInUrl ?? '')
  await press(page, button('Sign in'))
  await nextStep(page, 'install')
  await press(page, button(text.start.makePublicKey))
  await page.getByText(text.start.keyOnce).waitFor()
  const tag = (await page.locator('.code code').first().textContent()) ?? ''
  expect(tag).toContain('data-key="pk_live_')
  await visitWith(tag)
  await page.getByText(/^It works: /).waitFor()
  // The figures of a moment ago, when there was nothing, are not shown any more.
  await press(page, page.getByRole('link', { name: text.start.toOverview, exact: true }))
  const visitors = page.locator('[data-metric=visitors] .value')
  await expect.poll(() => visitors.textContent(), { timeout: patienceMs }).toBe('1')
  await nextStep(page, 'live')
  await page.getByRole('listitem').filter({ hasText: '$pageview' }).first().waitFor()
  await nextStep(page, 'goal')
  await press(page, button(text.goals.new))
  await typeInto(page, text.goals.name, 'Saw the plans')
  await pickByKeys(page, text.goals.event, '$pageview', '$pageview')
  await press(page, button(text.goals.create))
  await page.getByRole('row').filter({ hasText: 'Saw the plans' }).waitFor()
  await nextStep(page, 'invite')
  await typeInto(page, text.members.email, 'ada@example.com')
  await page.keyboard.press('Enter')
  // Without a mail server the link is shown, to hand it over.
  const link = await page.getByLabel(text.members.link, { exact: true }).textContent()
  expect(link).toContain(world.product.url)
}, 240_000)
