import {
  type Answer,
  getBoard,
  getTileResult,
  listAlerts,
  listAnnotations,
  listBoards,
  listDigests,
  listGoals,
  listShares,
  type Overview,
  previewAlert,
  runQuery,
} from '@assay/contract'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../../sdk/browser/test/testing/site.ts'
import { startWorld, type TestWorkspace, type World } from '../../server/src/testing/harness.ts'
import { formatCount } from '../src/format.ts'
import { text } from './testing/all-text.ts'
import { choose, follow } from './testing/choose.ts'
import { fill } from './testing/fill.ts'
import { keyTasks } from './testing/key-tasks.ts'
import { complaintsOf, findingsOn } from './testing/watched-page.ts'

let world: World
let browser: Browser
let shop: TestWorkspace
let page: Page
let complaints: string[]

/** A machine that is busy with other test files takes its time over a page. */
const patienceMs = 60_000
const taskMs = 240_000

beforeAll(async () => {
  ;[world, browser] = await Promise.all([startWorld(), openBrowser()])
  shop = await world.newWorkspace({ preset: 'strict', timezone: 'UTC' })
  const owner = await world.signIn('owner', shop)
  await fill(shop)
  const context = await browser.newContext({
    baseURL: world.product.url,
    viewport: { width: 1280, height: 1000 },
  })
  context.setDefaultTimeout(patienceMs)
  await context.addCookies([
    { name: 'assay_access', value: owner.accessToken, url: world.product.url, httpOnly: true },
  ])
  page = await context.newPage()
  // Refused forms say in words what is wrong.
  complaints = complaintsOf(page, /status of 4(?:09|22)/)
  await world.product.dashboard.page()
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

const at = (path: string) => `/${shop.workspaceId}/${shop.siteId}/${path}`
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const tile = (id: string) => page.locator(`[data-tile="${id}"]`)
const said = (words: string) => page.locator('.notices').getByText(words, { exact: true }).waitFor()
const siteQuery = () => ({ query: { siteId: shop.siteId } })

async function settled(): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await expect.poll(() => page.locator('.bone').count(), { timeout: patienceMs }).toBe(0)
}

async function open(path: string): Promise<void> {
  await page.goto(at(path))
  await settled()
}

/** In the same page, as by a link. */
async function openNext(path: string): Promise<void> {
  await follow(page, at(path))
  await settled()
}

async function pick(label: string, typed: string): Promise<void> {
  const field = page.getByRole('combobox', { name: label, exact: true })
  await field.click()
  await field.fill(typed)
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
}

async function resultOf(id: string, of: string, query: object = {}) {
  const { body } = await shop.call(getTileResult, { params: { id, tile: of }, query })
  return body.result
}

const ready = (name: string) => `${name}.${shop.siteId}`
const boardsNow = async () => (await shop.call(listBoards, siteQuery())).body.data
const tilesNow = async (id: string) => (await shop.call(getBoard, { params: { id } })).body.tiles

test(
  'a ready board is found, and its tiles have the figures of the API, also in another period and with a filter',
  async () => {
    await open('boards')
    expect(await page.locator('.board-card strong').allTextContents()).toEqual([
      'Traffic',
      'Product',
      'Revenue',
    ])
    await page.getByLabel(text.boards.search, { exact: true }).fill('REV')
    await page.getByRole('link', { name: /Revenue/ }).click()
    await page.waitForURL(/boards\/revenue/)
    await openNext(`boards/${ready('traffic')}`)
    const figure = tile('overview').locator('[data-metric=visitors] .value')
    // boundary: the tile of the overview is answered as the overview is.
    const overviewOf = async (query: object) =>
      (await resultOf(ready('traffic'), 'overview', query)) as Overview
    expect(await figure.textContent()).toBe(formatCount((await overviewOf({})).metrics.visitors))
    // boundary: a tile with a question is answered as a question is.
    const channels = (await resultOf(ready('traffic'), 'channels')) as Answer
    expect(await tile('channels').locator('tbody td:first-child').allTextContents()).toEqual(
      channels.rows.map(({ dimensions }) => dimensions[0]),
    )
    await button(/^Time range/).click()
    await button(text.range.windows['24h']).click()
    await page.waitForURL(/window=24h/)
    const narrow = { window: '24h', device: 'mobile' }
    await openNext(`boards/${ready('traffic')}?${new URLSearchParams(narrow)}`)
    const { visitors } = (await overviewOf(narrow)).metrics
    expect(visitors).toBeGreaterThan(0)
    expect(await figure.textContent()).toBe(formatCount(visitors))
    await tile('channels')
      .getByRole('link', { name: text.boards.openTile('Channels'), exact: true })
      .click()
    await page.waitForURL(/explore\?.*window=24h/)
    await button(text.filters.remove('Device is mobile')).waitFor()
  },
  taskMs,
)

test(
  'a copy is changed by mouse: dragged, resized, a tile added, renamed and removed; a new tile shows its number at once',
  async () => {
    await open(`boards/${ready('traffic')}`)
    await button(text.boards.duplicate).click()
    await page.waitForURL(/boards\/brd_/)
    const id = /brd_\w+/.exec(page.url())?.[0] ?? ''
    await button(text.boards.edit).click()
    await settled()
    const box = (await tile('channels').locator('.tile-handle').boundingBox()) ?? { x: 0, y: 0 }
    const column = ((await page.locator('.tiles').boundingBox())?.width ?? 0) / 12
    await page.mouse.move(box.x + 8, box.y + 8)
    await page.mouse.down()
    await page.mouse.move(box.x + 8 + column * 3, box.y + 12)
    await page.mouse.move(box.x + 8 + column * 6.1, box.y + 12)
    await page.mouse.up()
    await button(text.boards.addTile).click()
    await choose(page, text.boards.source, text.boards.sources.question)
    await choose(page, text.boards.view, text.explore.views.number)
    await page.getByLabel(text.boards.title, { exact: true }).fill('Buyers')
    await pick(text.explore.metric(1), '$purchase')
    await button(text.boards.add).click()
    await page.getByRole('heading', { name: 'Buyers', exact: true }).waitFor()
    await settled()
    const added = (await tilesNow(id)).find(({ title }) => title === 'Buyers')
    const { body: asked } = await shop.call(runQuery, {
      body: { siteId: shop.siteId, metrics: [{ as: 'A', event: '$purchase', math: 'count' }] },
    })
    expect(
      await tile(added?.id ?? '')
        .locator('[data-metric=A] .value')
        .textContent(),
    ).toBe(formatCount(asked.totals.metrics.A ?? 0))
    await button(text.boards.tileActs('Buyers')).click()
    await page.getByRole('menuitem', { name: text.boards.editTile, exact: true }).click()
    await choose(page, text.boards.view, text.explore.views.bars)
    await button(text.acts.save).click()
    await said(text.boards.tileSaved)
    await tile(added?.id ?? '')
      .locator('figure')
      .first()
      .waitFor()
    expect((await tilesNow(id)).find((one) => one.id === added?.id)).toMatchObject({
      view: 'bars',
      question: {
        dimensions: ['time:day'],
        metrics: [{ as: 'A', event: '$purchase', math: 'count' }],
      },
    })
    await button(text.boards.tileActs('Flow')).click()
    await page.getByRole('menuitem', { name: text.boards.removeTile, exact: true }).click()
    await button(text.boards.tileActs('Buyers')).click()
    await page.getByRole('menuitem', { name: text.boards.renameTile, exact: true }).click()
    await page.getByRole('dialog').getByLabel(text.boards.title, { exact: true }).fill('Orders')
    await page.getByRole('dialog').getByRole('button', { name: text.boards.rename, exact: true }).click()
    await button(text.boards.done).click()
    await said(text.boards.saved)
    const saved = await tilesNow(id)
    expect(saved.find((one) => one.id === 'channels')).toMatchObject({ x: 6, y: 6 })
    expect(saved.map(({ title }) => title).toSorted()).toEqual(
      ['Channels', 'Entry pages', 'First steps', 'Orders', 'Overview'].toSorted(),
    )
  },
  taskMs,
)

test(
  'by keys alone: a board is made, a tile moved, resized and saved; the board is renamed and deleted',
  async () => {
    await open('boards')
    await button(text.boards.new).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel(text.savedReports.name, { exact: true }).focus()
    await page.keyboard.type('By keys')
    await page.keyboard.press('Enter')
    await page.waitForURL(/brd_\w+\?edit=1/)
    const id = /brd_\w+/.exec(page.url())?.[0] ?? ''
    for (const title of ['One', 'Two']) {
      await button(text.boards.addTile).focus()
      await page.keyboard.press('Enter')
      await choose(page, text.boards.source, text.boards.sources.text)
      await page.getByLabel(text.boards.title, { exact: true }).focus()
      await page.keyboard.type(title)
      await page.getByLabel(text.boards.text, { exact: true }).focus()
      await page.keyboard.type(`${title}: ads run on Tuesdays.`)
      await button(text.boards.add).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: title, exact: true }).waitFor()
    }
    await button(text.boards.tileActs('Two')).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: text.boards.editTile, exact: true }).focus()
    await page.keyboard.press('Enter')
    const written = page.getByLabel(text.boards.text, { exact: true })
    expect(await written.inputValue()).toBe('Two: ads run on Tuesdays.')
    await written.fill('Two: ads run on Fridays.')
    await button(text.acts.save).focus()
    await page.keyboard.press('Enter')
    await said(text.boards.tileSaved)
    await page.getByText('Two: ads run on Fridays.', { exact: true }).waitFor()
    await button(text.boards.moveTile('One')).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowRight')
    const edited = page.url()
    const asked = page.getByRole('dialog', { name: text.boards.leaveTitle, exact: true })
    await page.getByRole('link', { name: text.shell.areas.explore, exact: true }).first().click()
    await asked.getByRole('button', { name: text.boards.stay, exact: true }).click()
    await asked.waitFor({ state: 'detached' })
    expect(page.url()).toBe(edited)
    await page.goBack()
    await asked.getByRole('button', { name: text.boards.stay, exact: true }).click()
    await asked.waitFor({ state: 'detached' })
    expect(page.url()).toBe(edited)
    await page.getByText('Two: ads run on Fridays.', { exact: true }).waitFor()
    await button(text.boards.done).focus()
    await page.keyboard.press('Enter')
    await said(text.boards.saved)
    const places = (await tilesNow(id)).map(({ title, x, width, height }) => [title, x, width, height])
    expect(places).toEqual([
      ['Two', 0, 4, 3],
      ['One', 4, 5, 4],
    ])
    await button(text.boards.edit).click()
    await button(text.boards.rename).click()
    const name = page.getByRole('dialog').getByLabel(text.savedReports.name, { exact: true })
    await name.fill('x'.repeat(121))
    await page.keyboard.press('Enter')
    await page.getByText(text.form.atMost(120), { exact: true }).waitFor()
    await name.fill('Renamed')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Renamed', exact: true }).waitFor()
    await button(text.boards.delete).click()
    await page.getByRole('dialog').getByRole('button', { name: text.boards.delete, exact: true }).click()
    await page.waitForURL(/\/boards$/)
    expect((await boardsNow()).map((board) => board.name)).not.toContain('Renamed')
  },
  taskMs,
)

test(
  'where events came before but not just now, Send events says when the last one came',
  async () => {
    await openNext('start')
    const status = page.getByRole('status').filter({ hasText: text.start.waitingForNext })
    await status.getByText(/^Last event: .+ ago\. Seen so far: .*\$pageview/).waitFor()
    expect(await findingsOn(page)).toEqual([])
  },
  taskMs,
)

async function visit(url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  const stranger = await context.newPage()
  const answer = await stranger.goto(url, { timeout: patienceMs })
  const words = await stranger.locator('body').textContent()
  await context.close()
  return { status: answer?.status(), words }
}

test(
  'a link with a password opens without a session, shows the figure, and is over once it is revoked',
  async () => {
    const words = text.shares
    await open('overview')
    await button(words.share).click()
    await page.getByLabel(words.password, { exact: true }).fill('short')
    await button(words.create).click()
    await page.getByText(text.form.atLeast(8), { exact: true }).waitFor()
    await page.getByLabel(words.password, { exact: true }).fill('a long sentence')
    await choose(page, words.theme, text.shell.themes.dark)
    await page.getByText(words.embed).first().click()
    await page.getByLabel(words.embed, { exact: true }).fill('blog')
    await button(words.create).click()
    await page.getByText(words.origin, { exact: true }).waitFor()
    await page.getByLabel(words.embed, { exact: true }).fill('https://blog.example')
    await button(words.create).click()
    const url = (await page.getByRole('group', { name: words.url, exact: true }).textContent()) ?? ''
    expect(await page.getByRole('group', { name: words.snippet, exact: true }).textContent()).toContain(url)
    expect(await findingsOn(page)).toEqual([])
    expect((await fetch(url)).status).toBe(401)
    const credentials = { httpCredentials: { username: 'x', password: 'a long sentence' } }
    const shown = await visit(url, credentials)
    expect(shown.status).toBe(200)
    expect(shown.words).toContain(text.metrics.visitors)
    expect((await shop.call(listShares, siteQuery())).body.data).toMatchObject([
      { type: 'overview', hasPassword: true, theme: 'dark', origins: ['https://blog.example'] },
    ])
    await openNext('settings/shares')
    await button(words.revoke).click()
    await page.getByRole('dialog').getByRole('button', { name: words.revoke, exact: true }).click()
    await page.getByText(words.none, { exact: true }).waitFor()
    expect((await visit(url, credentials)).status).toBe(404)
  },
  taskMs,
)

test(
  'a goal with a condition says how often it is reached, is created, counted, changed and deleted',
  async () => {
    const words = text.goals
    await open('settings/goals')
    await button(words.new).click()
    await button(words.create).click()
    await page.getByText(text.form.needed).first().waitFor()
    await page.getByLabel(words.name, { exact: true }).fill('Large order')
    await button(words.create).click()
    await page.getByText(words.needed, { exact: true }).waitFor()
    await pick(words.event, '$purchase')
    await button(text.filterBar.add).click()
    await pick(text.filterBar.about, 'amount')
    await choose(page, text.filterBar.operator, text.filterBar.operators.gte)
    await page.getByLabel(text.filterBar.limit, { exact: true }).fill('50')
    await button(text.filterBar.addAct).click()
    const { body } = await shop.call(runQuery, {
      body: {
        siteId: shop.siteId,
        window: '30d',
        metrics: [{ as: 'A', event: '$purchase', math: 'count', where: [['gte', 'property:amount', 50]] }],
      },
    })
    const count = body.totals.metrics.A ?? 0
    expect(count).toBeGreaterThan(0)
    await page.getByText(words.reached(formatCount(count)), { exact: true }).waitFor()
    expect(await findingsOn(page)).toEqual([])
    await button(words.create).click()
    const row = page.getByRole('row', { name: /Large order/ })
    await row.waitFor()
    await settled()
    expect(await row.locator('td.number').textContent()).toBe(formatCount(count))
    expect((await shop.call(listGoals, siteQuery())).body.data).toMatchObject([
      { name: 'Large order', event: '$purchase', filters: [['gte', 'property:amount', 50]] },
    ])
    await button(words.editOf('Large order')).click()
    await pick(words.page, '/thanks')
    await button(text.acts.save).click()
    await row.getByText(words.onPage('$purchase', '/thanks'), { exact: true }).waitFor()
    await button(words.deleteOf('Large order')).click()
    await page.getByRole('dialog').getByRole('button', { name: words.delete, exact: true }).click()
    await page.getByText(words.none, { exact: true }).waitFor()
  },
  taskMs,
)

test(
  'an alert says on history how often it would have fired, is created, paused, changed and deleted',
  async () => {
    const words = text.alerts
    await open('alerts')
    await page.getByRole('link', { name: words.new, exact: true }).click()
    await page.getByLabel(words.name, { exact: true }).fill('Many visitors')
    await choose(page, words.type, words.types.above)
    await page.getByText(words.incomplete, { exact: true }).waitFor()
    await page.getByLabel(words.value, { exact: true }).fill('3')
    const judged = {
      question: { metric: 'visitors' },
      interval: 'day',
      condition: { type: 'above', value: 3 },
    } as const
    const { body } = await shop.call(previewAlert, { body: { siteId: shop.siteId, ...judged } })
    expect(body.firings).toBeGreaterThan(0)
    await page.getByText(words.would(body.firings, words.spans.day), { exact: true }).waitFor()
    await page.getByLabel(words.slack, { exact: true }).fill('not an address')
    await button(words.create).click()
    await page.getByText(text.form.url, { exact: true }).waitFor()
    await page.getByLabel(words.slack, { exact: true }).fill('')
    await pick(words.recipients, 'ada')
    await page.getByText(words.badEmail('ada'), { exact: true }).waitFor()
    await button(text.picker.remove('ada')).click()
    await pick(words.recipients, 'ada@example.com')
    expect(await findingsOn(page)).toEqual([])
    await button(words.create).click()
    await page.waitForURL(/alerts\/(?!new)\w+/)
    await settled()
    expect((await shop.call(listAlerts, siteQuery())).body.data).toMatchObject([
      { name: 'Many visitors', ...judged, recipients: ['ada@example.com'] },
    ])
    await page.getByText(words.would(body.firings, words.spans.day), { exact: true }).waitFor()
    await button(words.pause).click()
    await said(words.pausedNow)
    await button(text.boards.edit).click()
    await choose(page, words.interval, words.intervals.week)
    await button(text.acts.save).click()
    await page.getByText(`${text.explore.metrics.visitors} ${words.per.week}`, { exact: true }).waitFor()
    await button(words.delete).click()
    await page.getByRole('dialog').getByRole('button', { name: words.delete, exact: true }).click()
    await page.getByText(words.none, { exact: true }).waitFor()
  },
  taskMs,
)

test(
  'a digest is created, tested, paused and deleted; a test that does not arrive says why',
  async () => {
    const words = text.digests
    await open('digests')
    await button(words.new).click()
    await choose(page, words.what, 'Traffic')
    await choose(page, words.weekday, 'Friday')
    await button(words.create).click()
    await page.getByText(text.form.needed, { exact: true }).waitFor()
    await pick(words.recipients, 'ada@example.com')
    expect(await findingsOn(page)).toEqual([])
    await button(words.create).click()
    const row = page.getByRole('row', { name: /Traffic/ })
    await row.getByText(words.weekly('Friday', '08:00')).waitFor()
    expect((await shop.call(listDigests, siteQuery())).body.data).toMatchObject([
      { type: 'board', targetId: ready('traffic'), frequency: 'weekly', weekday: 5, hour: 8 },
    ])
    await button(words.testOf('Traffic')).click()
    await choose(page, words.testTo, 'ada@example.com')
    await button(words.sendTest).click()
    await page.getByRole('dialog').getByRole('status').filter({ hasText: 'ada@example.com' }).waitFor()
    await page.keyboard.press('Escape')
    await button(words.pauseOf('Traffic')).click()
    await row.getByText(words.paused, { exact: true }).waitFor()
    await button(words.deleteOf('Traffic')).click()
    await page.getByRole('dialog').getByRole('button', { name: words.delete, exact: true }).click()
    await page.getByText(words.none, { exact: true }).waitFor()
  },
  taskMs,
)

test(
  'a moment is annotated from the chart, and changed and deleted in the list',
  async () => {
    const words = text.annotations
    await open('overview')
    await button(words.add).click()
    await page.getByLabel(words.text, { exact: true }).fill('Prices raised')
    await page.getByLabel(words.link, { exact: true }).fill('nowhere')
    await page.getByRole('dialog').getByRole('button', { name: words.add, exact: true }).click()
    await page.getByText(text.form.marked, { exact: true }).waitFor()
    await page.getByLabel(words.link, { exact: true }).fill('https://example.com/prices')
    await page.getByRole('dialog').getByRole('button', { name: words.add, exact: true }).click()
    await said(words.saved)
    await openNext('settings/annotations')
    await page.getByRole('link', { name: 'Prices raised', exact: true }).waitFor()
    await button(words.editOf('Prices raised')).click()
    await page.getByLabel(words.text, { exact: true }).fill('Prices lowered')
    await button(text.acts.save).click()
    await page.getByRole('link', { name: 'Prices lowered', exact: true }).waitFor()
    expect((await shop.call(listAnnotations, siteQuery())).body.data).toMatchObject([
      { text: 'Prices lowered', link: 'https://example.com/prices', siteId: shop.siteId },
    ])
    await button(words.deleteOf('Prices lowered')).click()
    await page.getByRole('dialog').getByRole('button', { name: words.delete, exact: true }).click()
    await page.getByText(words.none, { exact: true }).waitFor()
  },
  taskMs,
)

keyTasks(() => ({ page, shop, open }), taskMs)

/** Tiles whose chart does not fit, so that its axis is out of sight. */
const cutCharts = () =>
  page
    .locator('.tile-body:has(.plot)')
    .evaluateAll((tiles) =>
      tiles.filter((tile) => tile.scrollHeight > tile.clientHeight + 1).map((tile) => tile.textContent),
    )

test(
  'every page is clear to a screen reader on a phone and a wide screen, in light and dark, and fits its width',
  async () => {
    const [board] = await boardsNow()
    const own = `boards/${board?.id}?edit=1`
    const paths = [
      'boards',
      `boards/${ready('product')}`,
      `boards/${ready('revenue')}`,
      own,
      'alerts/new',
      'digests',
      'settings/goals',
      'settings/annotations',
      'settings/shares',
    ]
    for (const path of paths) {
      await page.setViewportSize({ width: 1280, height: 1000 })
      await page.emulateMedia({ colorScheme: 'light' })
      await openNext(path)
      expect([path, await findingsOn(page)]).toEqual([path, []])
      // Tiles of one's own may be made smaller than any chart.
      if (path !== own) expect([path, await cutCharts()]).toEqual([path, []])
      await page.setViewportSize({ width: 390, height: 844 })
      await page.emulateMedia({ colorScheme: 'dark' })
      await settled()
      expect([path, await findingsOn(page)]).toEqual([path, []])
    }
    expect(complaints).toEqual([])
  },
  taskMs,
)
