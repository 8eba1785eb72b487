import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getOverview, listAnomalies, listAudiences, listDrift } from '@assay/contract'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestWorkspace, World } from '../../../server/src/testing/harness.ts'
import { text } from './all-text.ts'
import { choose, follow } from './choose.ts'
import { brokenVisitor, errorMessage, fillWatch, recordedHeading } from './fill-watch.ts'

/** What the tests of the dashboard share. */
export type Stage = {
  world: World
  shop: TestWorkspace
  page: Page
  at: (page: string) => string
  settled: () => Promise<void>
  /** What is wrong with the page as it is, each with the address. */
  inspect: (href: string) => Promise<string[]>
  patienceMs: number
}

/** The main tasks of the monitoring pages, by mouse and by keyboard. */
export function watchTasks(stage: () => Stage, taskMs: number): void {
  let trap: Server
  const trapped: string[] = []

  beforeAll(async () => {
    trap = createServer((request, response) => {
      trapped.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
    // boundary: a server that listens on a port has an address of this form.
    const { port } = trap.address() as AddressInfo
    await fillWatch(stage().world, stage().shop, `http://127.0.0.1:${port}`)
  }, taskMs)
  afterAll(() => {
    trap?.close()
  })

  test(
    'an anomaly is read with its cause, taken on by keyboard, and stands on the line of its event',
    () => takeOnAnomaly(stage()),
    taskMs,
  )
  test(
    'the effect of other settings is shown before they are saved, and two events are compared',
    () => simulateAndCompare(stage()),
    taskMs,
  )
  test(
    'a changed element is shown before and after, and the proposed one is accepted',
    () => acceptDrift(stage()),
    taskMs,
  )
  test(
    'an error leads to the recorded visit, which plays, and nothing in it runs or is fetched',
    async () => {
      await watchVisit(stage())
      expect(trapped).toEqual([])
    },
    taskMs,
  )
  test(
    'an audience is described, counted before it is saved, and looked at alone in the overview',
    () => makeAudience(stage()),
    taskMs,
  )
}

async function takeOnAnomaly({ page, at, shop, settled, inspect, patienceMs }: Stage): Promise<void> {
  const words = text.eventHealth
  await follow(page, at('event-health'))
  const row = page.getByRole('row', { name: /7\.4\.1/ })
  await row.getByText(words.insteadOf('4 events', '210'), { exact: true }).waitFor()
  await row.getByRole('button', { name: words.acknowledge, exact: true }).focus()
  await page.keyboard.press('Enter')
  await row.getByText(words.anomalyStatuses.acknowledged, { exact: true }).waitFor()
  const { data } = (await shop.call(listAnomalies, { query: { status: 'acknowledged' } })).body
  expect(data.map(({ event_key }) => event_key)).toEqual(['pageview'])
  await row.getByRole('link', { name: 'pageview', exact: true }).click()
  await page.getByRole('heading', { name: '$pageview', level: 1, exact: true }).waitFor()
  await settled()
  expect(await inspect('event-health/event')).toEqual([])
  await page.getByRole('button', { name: text.chart.asTable, exact: true }).click()
  const marked = page.getByRole('cell', { name: /7\.4\.1/ })
  // Each of the hours since it began, and the list below.
  await expect.poll(() => marked.count(), { timeout: patienceMs }).toBeGreaterThan(19)
}

async function simulateAndCompare({ page, at }: Stage): Promise<void> {
  await follow(page, at('event-health'))
  await page.getByRole('main').getByRole('link', { name: text.eventHealth.settings, exact: true }).click()
  await page.getByLabel(text.healthSettings.budget, { exact: true }).fill('3')
  await page.getByRole('button', { name: text.healthSettings.simulate, exact: true }).click()
  await page.getByRole('status').getByText(text.healthSettings.these, { exact: true }).waitFor()
  await page.getByRole('button', { name: text.acts.save, exact: true }).click()
  await page.getByText(text.healthSettings.saved, { exact: true }).waitFor()
  await page.reload()
  expect(await page.getByLabel(text.healthSettings.budget, { exact: true }).inputValue()).toBe('3')
  await page.getByRole('link', { name: text.pages.eventHealth, exact: true }).last().click()
  await page.getByRole('link', { name: text.eventHealth.checkTwo, exact: true }).click()
  await page.getByLabel(text.duplicates.a, { exact: true }).fill('dashboard-event-0')
  await page.getByLabel(text.duplicates.b, { exact: true }).fill('dashboard-event-0')
  await page.getByRole('button', { name: text.duplicates.compare, exact: true }).click()
  await page.getByRole('heading', { name: text.duplicates.verdicts.duplicate, exact: true }).waitFor()
}

async function acceptDrift({ page, at, shop }: Stage): Promise<void> {
  const words = text.drift
  await follow(page, at('drift'))
  await page.getByText('button.buy', { exact: true }).waitFor()
  await page.getByText('button.purchase', { exact: true }).waitFor()
  await page.getByRole('button', { name: `${words.accept}: Buy it now`, exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: `${words.reopen}: Buy it now`, exact: true }).waitFor()
  const { alerts } = (await shop.call(listDrift, { query: { siteId: shop.siteId } })).body
  expect(alerts.map(({ selector, status }) => [selector, status])).toEqual([['button.buy', 'accepted']])
}

async function watchVisit({ page, at, settled, inspect, patienceMs }: Stage): Promise<void> {
  const words = text.replays
  await follow(page, at('errors'))
  await page.getByRole('link', { name: new RegExp(errorMessage) }).click()
  await page.locator('details', { hasText: 'shop.example/cart' }).locator('summary').click()
  await page.getByRole('link', { name: words.watch, exact: true }).click()
  await page.getByRole('button', { name: words.play, exact: true }).waitFor()
  const rebuilt = "document.querySelector('iframe')?.contentDocument?.querySelector('h1')?.textContent"
  const heading = async () =>
    page
      .frames()
      .find((frame) => frame.url().endsWith('/player.html'))
      ?.evaluate(rebuilt)
  await expect.poll(heading, { timeout: patienceMs }).toBe(recordedHeading)
  await settled()
  expect(await inspect('replays')).toEqual([])
  await page.getByLabel(words.seek, { exact: true }).focus()
  await page.keyboard.press('End')
  await page.getByText(words.position('0:01', '0:01'), { exact: true }).waitFor()
  await page.keyboard.press('Home')
  await page.getByText(words.position('0:00', '0:01'), { exact: true }).waitFor()
  await page.getByRole('button', { name: words.play, exact: true }).click()
  await page.getByText(words.position('0:01', '0:01'), { exact: true }).waitFor()
  expect(await page.evaluate('window.wasTaken')).toBeUndefined()
  await page.getByRole('link', { name: brokenVisitor, exact: true }).click()
  await page.locator('main table a[href*="/people/per_"]').first().click()
  await page.getByRole('link', { name: words.watch, exact: true }).first().click()
  await page.getByRole('button', { name: words.play, exact: true }).waitFor()
}

async function makeAudience({ page, at, shop, settled, inspect, patienceMs }: Stage): Promise<void> {
  const words = text.audiences
  await follow(page, at('audiences/new'))
  await page.getByLabel(words.name, { exact: true }).fill('Looked at products')
  await choose(page, words.field, words.fields.path)
  await choose(page, words.op, words.ops.eq)
  await page.getByLabel(words.value, { exact: true }).fill('/product/1')
  await page.getByRole('button', { name: words.preview, exact: true }).click()
  await page
    .getByRole('status')
    .getByText(/^\d+ of \d+ people\.$/)
    .waitFor()
  await page.getByLabel(words.name, { exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Looked at products', level: 1, exact: true }).waitFor()
  await settled()
  expect(await inspect('audiences/one')).toEqual([])
  const [audience] = (await shop.call(listAudiences, { query: { siteId: shop.siteId } })).body.data
  expect(audience?.rules).toEqual({ all: [{ field: 'path', op: 'eq', value: '/product/1' }] })
  await page.getByRole('link', { name: words.inReports, exact: true }).click()
  await page.waitForURL(({ searchParams }) => searchParams.get('audience') === audience?.id)
  const query = { siteId: shop.siteId, window: '30d', audience: audience?.id ?? '' }
  const { visitors } = (await shop.call(getOverview, { query })).body.metrics
  expect(visitors).toBe(audience?.size)
  const shown = () => page.locator('[data-metric=visitors] .value').textContent()
  await expect.poll(shown, { timeout: patienceMs }).toBe(String(visitors))
  await page.getByRole('button', { name: new RegExp(text.filters.remove('.*Looked at products')) }).waitFor()
}
