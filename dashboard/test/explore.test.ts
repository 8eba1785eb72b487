import { readFile } from 'node:fs/promises'
import { batch, listBoards, listReports, runQuery } from '@assay/contract'
import type { Browser, Download, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../../sdk/browser/test/testing/site.ts'
import { startWorld, type TestWorkspace, type World } from '../../server/src/testing/harness.ts'
import { text } from './testing/all-text.ts'
import { follow } from './testing/choose.ts'
import { fill } from './testing/fill.ts'
import { optionOf, press, tabTo } from './testing/keys.ts'
import { complaintsOf, findingsOn } from './testing/watched-page.ts'

let world: World
let browser: Browser
let shop: TestWorkspace
let page: Page
let complaints: string[]

/** A machine that is busy with other test files takes its time over a page. */
const patienceMs = 60_000
const taskMs = 240_000
const words = text.explore

beforeAll(async () => {
  ;[world, browser] = await Promise.all([startWorld(), openBrowser()])
  shop = await world.newWorkspace({ preset: 'strict' })
  const owner = await world.signIn('owner', shop)
  await fill(shop)
  const context = await browser.newContext({
    baseURL: world.product.url,
    viewport: { width: 1280, height: 1000 },
    acceptDownloads: true,
  })
  context.setDefaultTimeout(patienceMs)
  await context.addCookies([
    { name: 'assay_access', value: owner.accessToken, url: world.product.url, httpOnly: true },
  ])
  page = await context.newPage()
  // A refused question is said in words.
  complaints = complaintsOf(page, /status of 4(?:04|22)/)
  await world.product.dashboard.page()
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

const at = (path: string) => `/${shop.workspaceId}/${shop.siteId}/${path}`
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const total = (name: string) => page.locator(`.figures [data-metric="${name}"] .value`)
const asked = (question: object) => `explore?${new URLSearchParams(Object.entries(question).map(written))}`
const written = ([name, value]: [string, unknown]): [string, string] => [
  name,
  typeof value === 'string' ? value : JSON.stringify(value),
]

async function answered(question: object) {
  const body = { siteId: shop.siteId, window: '30d', timezone: 'UTC', ...question }
  // boundary: the question is written out in each test.
  return (
    await shop.call(runQuery, { body: body as Parameters<typeof shop.call<typeof runQuery>>[1]['body'] })
  ).body
}

async function settled(): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await expect.poll(() => page.locator('.bone').count(), { timeout: patienceMs }).toBe(0)
}

async function pick(label: string, typed: string): Promise<void> {
  const field = page.getByRole('combobox', { name: label, exact: true })
  await field.click()
  await field.fill(typed)
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
}

async function choose(label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Down the list by keys, as far as the choice stands; answers on their way move it. */
async function take(option: string): Promise<void> {
  const wanted = optionOf(page, option)
  await wanted.waitFor()
  const isThere = async () => (await wanted.getAttribute('data-highlighted')) !== null
  for (let steps = 0; steps < 8 && !(await isThere()); steps++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
}

async function saved(download: Download): Promise<Buffer> {
  return readFile(await download.path())
}

async function downloaded(item: string): Promise<Buffer> {
  const started = page.waitForEvent('download')
  await button(new RegExp(`^${text.chart.download}: `))
    .first()
    .click()
  await button(item).click()
  return saved(await started)
}

test(
  'an example from the empty page is answered with the figures of the API',
  async () => {
    await page.goto(at('explore?timezone=UTC'))
    await settled()
    const examples = page.locator('.examples a')
    await expect.poll(() => examples.count(), { timeout: patienceMs }).toBe(5)
    await examples.filter({ hasText: words.examples.visitors }).click()
    await total('visitors').waitFor()
    const { totals } = await answered({ metrics: ['visitors'] })
    expect(totals.metrics.visitors).toBeGreaterThan(20)
    expect(await total('visitors').textContent()).toBe(String(totals.metrics.visitors))
  },
  taskMs,
)

test(
  'a question is put together by mouse: event, math, property, breakdown, filter; its rows and its CSV are those of the API',
  async () => {
    await page.goto(at('explore?timezone=UTC'))
    await settled()
    await pick(words.metric(1), '$purchase')
    await choose(words.math, words.maths.sum)
    await pick(words.property, 'amount')
    await pick(words.by, 'device')
    await button(words.views.table).click()
    const { rows, totals } = await answered({
      metrics: [{ as: 'A', event: '$purchase', math: 'sum', property: 'amount' }],
      dimensions: ['device'],
      compare: 'previous',
    })
    const table = page.getByRole('table')
    await table.waitFor()
    const shown = await table.locator('tbody tr td:nth-child(2)').allTextContents()
    const money = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' })
    expect(shown).toEqual(rows.map(({ metrics }) => money.format(metrics.A ?? 0)))
    expect(await total('A').textContent()).toBe(money.format(totals.metrics.A ?? 0))
    const csv = String(await downloaded(text.chart.csv)).split('\r\n')
    expect(csv[1]).toBe([rows[0]?.dimensions[0], rows[0]?.metrics.A, rows[0]?.comparison?.A ?? ''].join(','))
    await table.getByRole('button', { name: 'mobile', exact: true }).click()
    await button(text.filters.remove('Device is mobile')).waitFor()
    await expect.poll(() => table.locator('tbody tr').count(), { timeout: patienceMs }).toBe(1)
  },
  taskMs,
)

test(
  'by keys alone: a filter is added, edited and removed, and the chart is read point by point',
  async () => {
    await page.goto(at(asked({ window: '7d', timezone: 'UTC', compare: 'none', metrics: ['pageviews'] })))
    await settled()
    await button(text.filterBar.add).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: text.filterBar.about, exact: true }).focus()
    await page.keyboard.type('Page')
    await page.getByRole('option', { name: text.filterBar.dimensions.page, exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: text.filterBar.values, exact: true }).focus()
    await page.keyboard.type('/pric')
    await take('/pricing')
    await page.getByRole('button', { name: text.filterBar.addAct, exact: true }).focus()
    await page.keyboard.press('Enter')
    const chip = button('Page is /pricing')
    await chip.waitFor()
    const filters = [['is', 'page', ['/pricing']]]
    const { rows, totals } = await answered({
      window: '7d',
      metrics: ['pageviews'],
      dimensions: ['time:day'],
      filters,
    })
    await expect
      .poll(() => total('pageviews').textContent(), { timeout: patienceMs })
      .toBe(String(totals.metrics.pageviews))
    await page.getByRole('application').focus()
    await page.keyboard.press('Home')
    for (const { metrics } of rows.slice(0, 4)) {
      await expect
        .poll(() => page.locator('.plot-frame [aria-live]').textContent(), { timeout: patienceMs })
        .toMatch(new RegExp(`${words.metrics.pageviews} ${metrics.pageviews}$`))
      await page.keyboard.press('ArrowRight')
    }
    await chip.focus()
    await page.keyboard.press('Enter')
    await choose(text.filterBar.operator, text.filterBar.operators.isNot)
    await button(text.filterBar.apply).press('Enter')
    await button(text.filters.remove('Page is not /pricing')).press('Enter')
    await page.waitForURL(({ searchParams }) => !searchParams.has('filters'))
  },
  taskMs,
)

test(
  'a group of filters is edited: its conditions, how many must hold, and a group within it',
  async () => {
    const bar = text.filterBar
    const filtersNow = () => JSON.parse(new URL(page.url()).searchParams.get('filters') ?? '[]')
    const mobile = ['is', 'device', ['mobile']]
    const pricing = ['is', 'page', ['/pricing']]
    const given = JSON.stringify([['or', [mobile, ['is', 'page', ['/']]]]])
    await page.goto(
      `${at(asked({ window: '7d', metrics: ['pageviews'] }))}&filters=${encodeURIComponent(given)}`,
    )
    await settled()
    await button('Device is mobile or Page is /').click()
    await button('Page is /').click()
    await button(bar.apply).click()
    await button(bar.apply).click()
    await button('Device is mobile or Page is /').click()
    expect(JSON.stringify(filtersNow())).toBe(given)
    await button('Page is /').click()
    await button(text.picker.remove('/')).click()
    await pick(bar.values, '/pricing')
    await button(bar.apply).click()
    await choose(bar.match, bar.modes.none)
    await button(bar.addCondition).click()
    await button(bar.group).click()
    await button(bar.addCondition).click()
    await pick(bar.about, 'Country')
    await choose(bar.operator, bar.operators.isNotSet)
    await button(bar.addAct).click()
    await choose(bar.match, bar.modes.all)
    expect(await findingsOn(page)).toEqual([])
    await button(bar.addAct).click()
    await button(bar.apply).click()
    const nested = ['and', [['isNotSet', 'country']]]
    await page.waitForURL(({ searchParams }) => searchParams.get('filters')?.includes('not') === true)
    expect(filtersNow()).toEqual([['not', ['or', [mobile, pricing, nested]]]])
    await page.locator('.filters button.chip-words').press('Enter')
    await button(text.filters.remove('Device is mobile')).press('Enter')
    await button(text.filters.remove('Page is /pricing')).press('Enter')
    await button(text.filters.remove('Country is not set')).press('Enter')
    await button(bar.apply).press('Enter')
    await page.getByText(bar.emptyGroup, { exact: true }).waitFor()
    await page.keyboard.press('Escape')
  },
  taskMs,
)

test(
  'a chart is saved as a picture, and its legend hides a series',
  async () => {
    const question = { window: '7d', timezone: 'UTC', metrics: ['sessions'], by: ['device'], view: 'stacked' }
    await page.goto(at(asked(question)))
    await settled()
    const picture = await downloaded(text.chart.png)
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect(picture.length).toBeGreaterThan(5_000)
    const series = page.locator('.legend button').first()
    await series.click()
    expect(await series.getAttribute('aria-pressed')).toBe('false')
    const csv = String(await downloaded(text.chart.csv)).split('\r\n')
    expect(csv[0]).toContain('mobile')
  },
  taskMs,
)

test(
  'a report is saved, put on a board, found, renamed, opened and deleted',
  async () => {
    await page.goto(at(asked({ window: '7d', metrics: ['visitors'], by: ['device'], view: 'table' })))
    await settled()
    await button(text.savedReports.saveAs).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: text.acts.save, exact: true }).click()
    await dialog.getByText(text.form.needed, { exact: true }).waitFor()
    await dialog.getByLabel(text.savedReports.name, { exact: true }).fill('Devices <b>of</b> the week')
    await dialog.getByRole('button', { name: text.acts.save, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Devices <b>of</b> the week', exact: true }).waitFor()
    await button(text.savedReports.toBoard).click()
    await dialog.getByLabel(text.savedReports.boardName, { exact: true }).fill('Monday')
    await dialog.getByRole('button', { name: text.savedReports.add, exact: true }).click()
    await page.getByText(text.savedReports.added('Monday'), { exact: true }).waitFor()
    const reports = async () => (await shop.call(listReports, { query: { siteId: shop.siteId } })).body.data
    const [report] = await reports()
    const boards = (await shop.call(listBoards, { query: { siteId: shop.siteId } })).body.data
    expect(boards[0]?.tiles).toMatchObject([{ type: 'report', reportId: report?.id }])
    await follow(page, at('reports'))
    await page.getByRole('searchbox', { name: text.savedReports.search, exact: true }).fill('devices')
    await button(text.savedReports.renameOf(report?.name ?? '')).click()
    await dialog.getByLabel(text.savedReports.name, { exact: true }).fill('Devices')
    await dialog.getByRole('button', { name: text.acts.save, exact: true }).click()
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    await page.getByRole('table').waitFor()
    expect(new URL(page.url()).searchParams.get('by')).toBe('["device"]')
    await follow(page, at('reports?search=nothing+like+it'))
    await page.getByText(text.savedReports.noMatch, { exact: true }).waitFor()
    await page.getByRole('searchbox').fill('')
    await button(text.savedReports.deleteOf('Devices')).click()
    await dialog.getByRole('button', { name: text.savedReports.delete, exact: true }).click()
    await page.getByText(text.savedReports.none, { exact: true }).waitFor()
    expect(await reports()).toEqual([])
  },
  taskMs,
)

test(
  'a report keeps its view: in Explore, and on a board that shows it',
  async () => {
    const words = text.savedReports
    await page.goto(at(asked({ window: '7d', metrics: ['sessions'], by: ['device'], view: 'stacked' })))
    await settled()
    await button(words.saveAs).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(words.name, { exact: true }).fill('Stacked devices')
    await dialog.getByRole('button', { name: text.acts.save, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Stacked devices', exact: true }).waitFor()
    await button(text.explore.views.bars).click()
    await button(words.saveChanges).click()
    await button(words.saveChanges).waitFor({ state: 'detached' })
    await button(words.toBoard).click()
    await dialog.getByLabel(words.board, { exact: true }).click()
    await page.getByRole('option', { name: words.newBoard, exact: true }).click()
    await dialog.getByLabel(words.boardName, { exact: true }).fill('Views')
    await dialog.getByRole('button', { name: words.add, exact: true }).click()
    await page.getByText(words.added('Views'), { exact: true }).waitFor()
    await follow(page, at('reports'))
    await page.getByRole('link', { name: 'Stacked devices', exact: true }).click()
    await settled()
    expect(await button(text.explore.views.bars).getAttribute('aria-pressed')).toBe('true')
    expect(await button(words.saveChanges).count()).toBe(0)
    const boards = (await shop.call(listBoards, { query: { siteId: shop.siteId } })).body.data
    const board = boards.find(({ name }) => name === 'Views')
    await follow(page, at(`boards/${board?.id}`))
    await settled()
    await page.getByRole('link', { name: text.boards.openTile('Stacked devices'), exact: true }).click()
    await page.waitForURL(/explore\?.*view=bars/)
  },
  taskMs,
)

test(
  'what the API refuses is shown where it was asked, and no junk in a link or a form breaks the page',
  async () => {
    await page.goto(at(asked({ metrics: ['visitors', { as: 'B', formula: 'Z / 2' }], by: ['nonsense'] })))
    await page
      .getByRole('group', { name: words.metric(2), exact: true })
      .getByRole('alert')
      .waitFor()
    await page.getByText(words.invalidDetail, { exact: true }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(2)
    const links = [
      'metrics=%5B&by=%7B&view=x&interval=x&limit=-1&order=x&mode=x&filters=nonsense&report=rep_x',
      `metrics=${encodeURIComponent('[null,{},[],{"as":"A"},{"as":"","math":"p90","where":[["x"]]}]')}&by=%5B1%2Cnull%5D`,
      `metrics=%5B%22visitors%22%5D&filters=${encodeURIComponent('[["is","country",[]]]')}`,
      `metrics=%5B%22visitors%22%5D&window=soon&timezone=Mars/Phobos`,
    ]
    for (const link of links) {
      await follow(page, at(`explore?${link}`))
      await settled()
      expect(await page.getByText(text.states.broken.title, { exact: true }).count()).toBe(0)
    }
    await page.goto(at(asked({ metrics: ['visitors'] })))
    await settled()
    await button(text.filterBar.add).click()
    await pick(text.filterBar.about, '<img src=x onerror=alert(1)>')
    await choose(text.filterBar.operator, text.filterBar.operators.matches)
    const values = page.getByRole('combobox', { name: text.filterBar.values, exact: true })
    await values.fill('(a+)+$')
    await page.getByRole('option').first().waitFor()
    await values.press('Enter')
    await button(text.filterBar.addAct).click()
    await page.getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
  },
  taskMs,
)

test(
  'every state is read by screen readers and fits the screen, small and large, light and dark',
  async () => {
    const metrics = [
      'visitors',
      { as: 'B', event: '$purchase', math: 'people' },
      { as: 'C', formula: 'B / visitors' },
    ]
    const filters = [
      ['is', 'device', ['mobile', 'desktop']],
      ['did', { event: '$pageview', within: '30d' }],
      [
        'or',
        [
          ['is', 'device', ['mobile', 'tablet']],
          [
            'and',
            [
              ['isSet', 'utm.campaign'],
              ['not', ['contains', 'page', ['/a-path-of-some-length/']]],
            ],
          ],
          ['is', 'country', ['DE', 'FR', 'GB']],
        ],
      ],
    ]
    const findings: string[] = []
    const look = async (name: string) =>
      findings.push(...(await findingsOn(page)).map((finding) => `${name}: ${finding}`))
    const looks = [
      { width: 390, height: 900, scheme: 'dark' },
      { width: 1440, height: 900, scheme: 'light' },
    ] as const
    for (const { width, height, scheme } of looks) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: scheme })
      for (const view of ['bars', 'table', 'number']) {
        await follow(page, at(asked({ metrics, filters, by: ['device'], view })))
        await settled()
        await total('visitors').waitFor()
        await look(`${view} ${width}`)
        if (view === 'number') continue
        await button(new RegExp(`^${text.chart.download}: `))
          .first()
          .click()
        await button(text.chart.csv).waitFor()
        await look(`${view}, download ${width}`)
        await page.keyboard.press('Escape')
      }
      await follow(page, at('explore'))
      await settled()
      await look(`empty ${width}`)
      await button(text.filterBar.add).click()
      await page.getByRole('combobox', { name: text.filterBar.about, exact: true }).click()
      await page.getByRole('option').first().waitFor()
      await look(`filter ${width}`)
      await follow(page, at('reports'))
      await settled()
      await look(`reports ${width}`)
    }
    expect(findings).toEqual([])
  },
  taskMs,
)

const tab = (name: string) => page.getByRole('tab', { name, exact: true })
const rowOf = (name: string) => page.locator('.bars li', { hasText: name })

test(
  'Home has regions and cities where visitors have them, in words and with the numbers of the API',
  async () => {
    const { region, city } = text.filterBar.dimensions
    await page.goto(at('overview'))
    await settled()
    await tab(text.filterBar.dimensions.language).waitFor()
    expect([await tab(region).count(), await tab(city).count()]).toEqual([0, 0])
    const visits = [
      ['US', 'IL', 'Springfield', 3],
      ['US', 'MO', 'Springfield', 2],
      ['DE', 'BE', 'Berlin', 1],
    ] as const
    const events = visits.flatMap(([country, code, name, count]) =>
      Array.from({ length: count }, (_, index) => ({
        ...{
          type: 'track',
          event: '$login',
          anonymous_id: `of ${code} ${index}`,
          properties: { method: 'x' },
        },
        context: { location: { country, region: code, city: name } },
      })),
    )
    await shop.call(batch, { body: { batch: events } }, { key: shop.keys.secret })
    await shop.settle()
    await page.goto(at('overview?places=city'))
    await settled()
    await rowOf('Springfield, Illinois').waitFor()
    const answer = await answered({ metrics: ['visitors'], dimensions: ['city'] })
    const visitorsIn = (value: string) =>
      String(answer.rows.find(({ dimensions }) => dimensions[0] === value)?.metrics.visitors)
    for (const [label, value] of [
      ['Springfield, Illinois', 'Springfield (US-IL)'],
      ['Springfield, Missouri', 'Springfield (US-MO)'],
      ['Berlin, Germany', 'Berlin (DE-BE)'],
    ] as const)
      expect(await rowOf(label).locator('span').last().textContent()).toBe(visitorsIn(value))
    await tab(region).click()
    await rowOf('Illinois, United States').getByRole('button').click()
    await button(/Region is Illinois, United States/)
      .first()
      .waitFor()
  },
  taskMs,
)

test(
  'by keys: a SELECT counts as Explore does, shows where it is wrong, and stays in the address and the list',
  async () => {
    const { sql } = text
    const query =
      'SELECT event, uniqExact(person_id) AS people FROM events GROUP BY event ORDER BY people DESC'
    await page.goto(at('explore'))
    await settled()
    await press(page, page.getByRole('link', { name: text.pages.sql, exact: true }))
    await page.waitForURL(/\/sql$/)
    const field = page.getByLabel(sql.query, { exact: true })
    const write = async (value: string) => {
      await tabTo(page, field)
      await page.keyboard.press('Control+a')
      await page.keyboard.type(value)
      await page.keyboard.press('Control+Enter')
    }
    await write(query.replace('person_id', 'persons'))
    await page.getByRole('alert').getByText('There is no column “persons”').waitFor()
    expect(await findingsOn(page)).toEqual([])
    await press(page, button(sql.toFault))
    expect(await page.evaluate('document.activeElement.selectionStart')).toBe(query.indexOf('person_id'))
    await write(query)
    const rows = page.getByRole('group', { name: sql.rows, exact: true }).getByRole('row')
    await rows.nth(1).waitFor()
    expect(await findingsOn(page)).toEqual([])
    const { rows: expected } = await answered({ metrics: ['visitors'], dimensions: ['event'] })
    const shown = (await rows.allInnerTexts()).slice(1).map((row) => row.split(/\s+/))
    const visitorsOf = new Map(shown.map(([event = '', people]) => [event, Number(people)]))
    for (const { dimensions, metrics } of expected)
      expect(visitorsOf.get(String(dimensions[0]))).toBe(metrics.visitors)
    expect(visitorsOf.size).toBe(expected.length)
    expect(new URL(page.url()).searchParams.get('q')).toBe(query)
    await page.reload()
    await rows.nth(1).waitFor()
    expect(await field.inputValue()).toBe(query)
    await page.getByRole('button', { name: query.slice(0, 80), exact: true }).waitFor()
  },
  taskMs,
)

test('the browser complained about nothing', () => {
  expect(complaints).toEqual([])
})
