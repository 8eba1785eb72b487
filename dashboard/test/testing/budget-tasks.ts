import {
  countQuarantined,
  getFlowGraph,
  getOverview,
  getRetention,
  getRevenueImpact,
  getSession,
  listEventHealth,
  listFunnels,
  listJourneys,
  listPeople,
  listSites,
  runQuery,
} from '@assay/contract'
import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Stage } from './watch-tasks.ts'

/** What Chromium calls good is 0.1; half of that is hardly seen. */
const shiftMax = 0.05

/** A page, and the read that it waits for longest. */
type Room = { name: string; href: string; data: RegExp }

const asked = (path: string) => new RegExp(`${path.replaceAll('/', '\\/')}(?:\\?|$)`)

function roomsOf({ shop, at }: Stage): Room[] {
  const board = `traffic.${shop.siteId}`
  const question = encodeURIComponent(JSON.stringify(['visitors']))
  return [
    { name: 'Home', href: at('overview'), data: asked(getOverview.path) },
    { name: 'Explore', href: at(`explore?metrics=${question}`), data: asked(runQuery.path) },
    { name: 'a board', href: at(`boards/${board}`), data: /\/tiles\/[^/]+\/result/ },
    { name: 'funnels', href: at('funnels'), data: asked(listFunnels.path) },
    { name: 'errors', href: at('errors'), data: asked(getRevenueImpact.path) },
    { name: 'flow', href: at('flow'), data: asked(listJourneys.path) },
    { name: 'retention', href: at('retention'), data: asked(getRetention.path) },
    { name: 'event health', href: at('event-health'), data: asked(listEventHealth.path) },
    { name: 'quarantine', href: at('quarantine'), data: asked(countQuarantined.path) },
    { name: 'people', href: at('people'), data: asked(listPeople.path) },
  ]
}

/**
 * How a page comes up, on a machine of any speed: its frame is there before its numbers are, it asks for them without
 * being asked again, and nothing moves when they arrive.
 */
export function budgetTasks(stage: () => Stage, taskMs: number): void {
  test(
    'sites and the code of a page are asked for while the session is still on its way',
    () => askTogether(stage()),
    taskMs,
  )
  test(
    'what a page shows most of itself by is asked for before the session is there, and once',
    () => askAhead(stage()),
    taskMs,
  )
  test(
    'pages show their frame before their numbers, and nothing moves when these arrive',
    async () => {
      const { page, settled, patienceMs } = stage()
      await page.setViewportSize({ width: 1280, height: 900 })
      const findings: string[] = []
      for (const { name, href, data } of roomsOf(stage())) {
        const waiting: Route[] = []
        let isHeld = true
        await page.route(data, async (route) => {
          if (isHeld) waiting.push(route)
          else await route.continue()
        })
        await page.goto(href)
        await page.evaluate(watchShifts)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await expect.poll(() => waiting.length, { timeout: patienceMs, message: name }).toBeGreaterThan(0)
        isHeld = false
        for (const route of waiting) await route.continue()
        await settled()
        const { sum, parts } = await page.evaluate<{ sum: number; parts: string[] }>('window.shifted')
        if (sum >= shiftMax) findings.push(`${name}: moved by ${sum.toFixed(3)}: ${parts.join(', ')}`)
        await page.unroute(data)
      }
      expect(findings).toEqual([])
    },
    taskMs,
  )
}

/** In the page: how much moved since it was opened, and what. */
const watchShifts = `
  window.shifted = { sum: 0, parts: [] }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue
      window.shifted.sum += entry.value
      for (const { node } of entry.sources ?? []) {
        const name = node?.nodeType === 1 ? node.tagName.toLowerCase() + '.' + node.className : node?.nodeName
        window.shifted.parts.push(name + ' ' + entry.value.toFixed(3))
      }
    }
  }).observe({ type: 'layout-shift', buffered: true })`

async function askTogether({ page, at, settled }: Stage): Promise<void> {
  const session = asked(getSession.path)
  const { promise: isAsked, resolve: release } = Promise.withResolvers<void>()
  await page.route(session, async (route) => {
    await isAsked
    await route.continue()
  })
  const others = [asked(listSites.path), /\/assets\/retention-[^/]*\.js$/]
  const requests = others.map((other) => page.waitForRequest(other))
  await page.goto(at('retention'))
  await Promise.all(requests)
  release()
  await settled()
  await page.unroute(session)
}

async function askAhead({ page, at, settled }: Stage): Promise<void> {
  const session = asked(getSession.path)
  const filters = encodeURIComponent(JSON.stringify([['is', 'country', ['DE']]]))
  const main: [string, RegExp][] = [
    ['overview', asked(getOverview.path)],
    [`overview?window=7d&compare=year&filters=${filters}`, asked(getOverview.path)],
    ['funnels?muted=true', asked(listFunnels.path)],
    ['flow', asked(getFlowGraph.path)],
    ['errors?window=7d', asked(getRevenueImpact.path)],
  ]
  let isAsked = Promise.resolve()
  await page.route(session, async (route) => {
    await isAsked
    await route.continue()
  })
  for (const [path, read] of main) {
    const held = Promise.withResolvers<void>()
    isAsked = held.promise
    const urls: string[] = []
    const note = (request: { url: () => string }) => read.test(request.url()) && urls.push(request.url())
    page.on('request', note)
    const first = page.waitForRequest(read)
    await page.goto(at(path))
    await first
    held.resolve()
    await settled()
    page.off('request', note)
    expect(urls).toHaveLength(1)
  }
  await page.unroute(session)
}
