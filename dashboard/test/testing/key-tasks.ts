import {
  getBoard,
  getExchangeRates,
  getReceipt,
  listAlerts,
  listBoards,
  listReports,
  listShares,
} from '@assay/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { TestWorkspace } from '../../../server/src/testing/harness.ts'
import { text } from './all-text.ts'
import { chooseByKeys, pickByKeys, press, tabTo, typeInto } from './keys.ts'

/** A machine that is busy with other test files takes its time over a page. */
const patienceMs = 60_000

type KeyStage = { page: Page; shop: TestWorkspace; open: (path: string) => Promise<void> }

/** The main tasks without a mouse: Tab, Enter, arrows and typing alone. */
export function keyTasks(stage: () => KeyStage, taskMs: number): void {
  test(
    'by keys: the range and what it is compared with are changed, a filter added and removed',
    () => narrow(stage()),
    taskMs,
  )
  test(
    'by keys: the search keeps what is typed while it is loaded, and goes there',
    () => search(stage()),
    taskMs,
  )
  test('by keys: a question is asked and saved as a report', () => saveReport(stage()), taskMs)
  test('by keys: a funnel is built', () => buildFunnel(stage()), taskMs)
  test('by keys: a board is made from a tile with a report', () => makeBoard(stage()), taskMs)
  test('by keys: a quarantined event is fixed and released', () => release(stage()), taskMs)
  test('by keys: a link is shared', () => share(stage()), taskMs)
  test('by keys: an alert is set', () => setAlert(stage()), taskMs)
  test('by keys: a currency that was seen gets a rate', () => setRate(stage()), taskMs)
}

const buttonOn = (page: Page) => (name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })

async function narrow({ page, open }: KeyStage): Promise<void> {
  const button = buttonOn(page)
  await open('overview')
  await press(page, button(/^Time range/))
  await press(page, button(text.range.windows['7d']))
  await page.waitForURL(/window=7d/)
  await chooseByKeys(page, text.range.comparison, text.range.comparisons.year)
  await page.waitForURL(/compare=year/)
  await page.getByRole('button', { name: text.chart.previousYear, exact: true }).waitFor()
  await press(page, button(text.filterBar.add))
  await pickByKeys(page, text.filterBar.about, 'Device', text.filterBar.dimensions.device)
  await pickByKeys(page, text.filterBar.values, 'mob', 'mobile')
  await press(page, button(text.filterBar.addAct))
  await press(page, button(text.filters.remove('Device is mobile')))
  await page.waitForURL(({ searchParams }) => !searchParams.has('filters') && !searchParams.has('device'))
}

async function search({ page, open }: KeyStage): Promise<void> {
  await open('overview')
  // Its code arrives only after everything was typed.
  const { promise: isTyped, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\/palette-[^/]*\.js$/, async (route) => {
    await isTyped
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('retention')
  release()
  const field = page.getByRole('combobox', { name: text.palette.hint, exact: true })
  await expect.poll(() => field.inputValue(), { timeout: patienceMs }).toBe('retention')
  await page.getByRole('option', { name: new RegExp(`^${text.pages.retention}`) }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(({ pathname }) => /^(?!.*settings).*\/retention$/.test(pathname))
}

async function saveReport({ page, shop, open }: KeyStage): Promise<void> {
  const button = buttonOn(page)
  await open('explore')
  await pickByKeys(page, text.explore.metric(1), '$purchase', '$purchase')
  await press(page, button(text.savedReports.saveAs))
  await typeInto(page, text.savedReports.name, 'Orders by keys')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Orders by keys', exact: true }).waitFor()
  const { data } = (await shop.call(listReports, { query: { siteId: shop.siteId } })).body
  expect(data.map(({ name }) => name)).toContain('Orders by keys')
}

async function buildFunnel({ page, open }: KeyStage): Promise<void> {
  await open('funnels')
  await press(page, page.getByRole('link', { name: text.funnels.own, exact: true }))
  await pickByKeys(page, text.funnels.event(2), '$purchase', '$purchase')
  await press(page, buttonOn(page)(text.funnels.show))
  await page.locator('.funnel li').nth(1).waitFor()
}

async function makeBoard({ page, shop, open }: KeyStage): Promise<void> {
  const button = buttonOn(page)
  await open('boards')
  await press(page, button(text.boards.new))
  await typeInto(page, text.savedReports.name, 'Keys alone')
  await page.keyboard.press('Enter')
  await page.waitForURL(/brd_\w+\?edit=1/)
  await press(page, button(text.boards.addTile))
  await chooseByKeys(page, text.boards.source, text.boards.sources.report)
  await pickByKeys(page, text.boards.report, 'Orders', 'Orders by keys')
  await press(page, button(text.boards.add))
  await page.getByRole('heading', { name: 'Orders by keys', exact: true }).waitFor()
  await press(page, button(text.boards.done))
  await page.waitForURL(({ searchParams }) => !searchParams.has('edit'))
  const boards = (await shop.call(listBoards, { query: { siteId: shop.siteId } })).body.data
  const id = boards.find(({ name }) => name === 'Keys alone')?.id ?? ''
  const { tiles } = (await shop.call(getBoard, { params: { id } })).body
  expect(tiles).toMatchObject([{ type: 'report' }])
}

async function release({ page, shop, open }: KeyStage): Promise<void> {
  const held = { event: '$purchase', event_id: 'held-by-keys', user_id: 'keys' }
  const properties = { amount: 20, currency: 'Euros' }
  await shop.send([{ ...held, properties }], { outcomes: ['quarantine'] })
  await open('quarantine')
  const row = page.getByRole('row').filter({ hasText: 'currency: "Euros"' })
  await press(page, row.getByRole('link'))
  await typeInto(page, text.fixes.patch, '{"currency": "EUR"}')
  await press(page, buttonOn(page)(text.fixes.releaseNow))
  await page.getByText(text.fixes.released(1, 0), { exact: true }).waitFor()
  const params = { event_id: 'held-by-keys' }
  expect((await shop.call(getReceipt, { params })).body.state).toBe('stored')
}

async function share({ page, shop, open }: KeyStage): Promise<void> {
  const button = buttonOn(page)
  const links = async () => (await shop.call(listShares, { query: { siteId: shop.siteId } })).body.data.length
  const before = await links()
  await open('overview')
  await press(page, button(text.shares.share))
  await press(page, button(text.shares.create))
  await tabTo(page, page.getByRole('group', { name: text.shares.url, exact: true }))
  await page.keyboard.press('Escape')
  expect(await links()).toBe(before + 1)
}

async function setAlert({ page, shop, open }: KeyStage): Promise<void> {
  const words = text.alerts
  await open('alerts')
  await press(page, page.getByRole('link', { name: words.new, exact: true }))
  await typeInto(page, words.name, 'Visitors by keys')
  await chooseByKeys(page, words.type, words.types.above)
  await typeInto(page, words.value, '1000')
  await tabTo(page, page.getByRole('combobox', { name: words.recipients, exact: true }))
  await page.keyboard.type('ada@example.com')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  await press(page, buttonOn(page)(words.create))
  await page.waitForURL(/alerts\/(?!new)\w+/)
  const { data } = (await shop.call(listAlerts, { query: { siteId: shop.siteId } })).body
  expect(data).toMatchObject([{ name: 'Visitors by keys', recipients: ['ada@example.com'] }])
}

async function setRate({ page, shop, open }: KeyStage): Promise<void> {
  const words = text.rates
  const properties = { amount: 10, currency: 'USD', order_id: 'in-dollars' }
  await shop.send([{ event: '$purchase', event_id: 'in-dollars', user_id: 'keys', properties }])
  await open('settings/rates')
  await press(page, buttonOn(page)(words.addSeen('USD')))
  await typeInto(page, words.rate, '0.5')
  await page.keyboard.press('Enter')
  await page.getByText(words.saved, { exact: true }).waitFor()
  expect((await shop.call(getExchangeRates, {})).body).toMatchObject({
    base: 'EUR',
    rates: [{ currency: 'USD', rate: 0.5 }],
  })
}
