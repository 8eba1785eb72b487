import type { Browser, BrowserContext, Page } from 'playwright-core'
import { vi } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../../../server/src/testing/harness.ts'
import { openBrowser, openSite, type Site } from './site.ts'

export type Stored = {
  event_id: string
  name: string
  outcome: string
  properties: Record<string, unknown>
  context: Record<string, unknown>
  anonymous_id: string
  user_id: string
  session_id: string
  path: string
  ts: string
}

/** The product, a browser, and a web site whose pages include the snippet. */
export type Lab = {
  world: World
  browser: Browser
  site: Site
  /** The URL of a page with this body, as a customer would write it. */
  page: (workspace: TestWorkspace, body: string, options?: object, attributes?: string) => string
  /** Opens the page as a new visitor, or in a browser that was used before, and waits for the SDK. */
  visit: (address: string, context?: BrowserContext) => Promise<Page>
  /** Everything stored of a workspace, by time; quarantined events are a failure of the caller. */
  stored: (workspace: TestWorkspace) => Promise<Stored[]>
  /** The same, once an event of this name is there. */
  storedWith: (workspace: TestWorkspace, name: string, count?: number) => Promise<Stored[]>
  close: () => Promise<void>
}

/** A look into the store costs more than a short wait. */
const patience = { timeout: 30_000, interval: 200 }

const columns =
  'event_id, name, outcome, properties, context, anonymous_id, user_id, session_id, path, toString(ts) AS ts'

export async function openLab(): Promise<Lab> {
  // Tests send in a second what a site sends in minutes.
  const config = { ingestEventsPerSecond: 1_000_000 }
  const [world, browser, site] = await Promise.all([startWorld({ config }), openBrowser(), openSite()])
  const lab: Lab = {
    world,
    browser,
    site,
    page: (workspace, body, options, attributes) =>
      site.page(snippetPage(world.product.url, workspace.keys.public, body, options, attributes)),
    async visit(address, context) {
      const page = await (context ?? (await browser.newContext())).newPage()
      await page.goto(address)
      await page.waitForFunction('window.assay && window.assay.track')
      return page
    },
    async stored(workspace) {
      await workspace.settle()
      const { events } = world.product.deps
      const mine = { workspace: workspace.workspaceId }
      const held = await events.query(
        'SELECT name, code FROM quarantine WHERE workspace_id = {workspace:String}',
        mine,
      )
      if (held.length > 0) throw new Error(`quarantined: ${JSON.stringify(held)}`)
      const rows = await events.query<Stored & { properties: string; context: string }>(
        `SELECT ${columns} FROM events WHERE workspace_id = {workspace:String} ORDER BY ts, name`,
        mine,
      )
      return rows.map((row) => ({
        ...row,
        properties: JSON.parse(row.properties || '{}'),
        context: JSON.parse(row.context || '{}'),
      }))
    },
    async storedWith(workspace, name, count = 1) {
      const isThere = (found: Stored[]) => named(found, name).length >= count
      return vi.waitUntil(() => lab.stored(workspace).then((found) => isThere(found) && found), patience)
    },
    async close() {
      await browser.close()
      await site.close()
      await world.close()
    },
  }
  return lab
}

/** Events are sent immediately, so that tests need not wait for the usual two seconds. */
const quick = { flushMs: 20 }

export function snippetPage(
  productUrl: string,
  key: string,
  body: string,
  options: object = {},
  attributes = '',
): string {
  const settings = JSON.stringify({ ...quick, ...options })
  return `<!doctype html><html><head><title>Shop</title>
    <script>window.assay=window.assay||function(){(assay.q=assay.q||[]).push([Date.now(),arguments])}</script>
    <script async src="${productUrl}/sdk.js" data-key="${key}" data-options='${settings}' ${attributes}></script>
    </head><body>${body}</body></html>`
}

/** How often each event was stored. */
export function countByName(stored: readonly Stored[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { name } of stored) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

export const named = (stored: readonly Stored[], name: string): Stored[] =>
  stored.filter((event) => event.name === name)

/** As when a visitor leaves: the page is notified, then closed. */
export async function leave(page: Page): Promise<void> {
  await Promise.all([page.waitForEvent('close'), page.close({ runBeforeUnload: true })])
}
