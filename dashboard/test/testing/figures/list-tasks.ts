import {
  countQuarantined,
  getCatalog,
  getSiteHealth,
  getUsage,
  listJourneys,
  listPeople,
  listSiteFigures,
  verifyLedger,
} from '@assay/contract'
import { expect, test } from 'vitest'
import { formatCount, formatShare } from '../../../src/format.ts'
import { text } from '../all-text.ts'
import { follow } from '../choose.ts'
import type { Stage } from '../watch-tasks.ts'

/** A page with its numbers: as its table shows them, and as the interface answers. */
type Listed = { href: string; caption: string; shown: readonly number[]; answered: () => Promise<string[][]> }

/** Lists and tables besides the reports: the columns with figures, in the order of the page. */
export function listTasks(stage: () => Stage, taskMs: number): void {
  test(
    'sites, catalog, quarantine, people, paths and usage show the numbers of the interface',
    async () => {
      const unknown = {
        event: 'never_registered',
        event_id: 'event-of-lists',
        user_id: 'lists',
        properties: {},
      }
      await stage().shop.send([unknown], { outcomes: ['quarantine'] })
      const { page, at } = stage()
      for (const [index, listed] of lists(stage()).entries()) {
        // The first with a load, so that nothing is remembered from before.
        if (index === 0) await page.goto(at(listed.href))
        else await follow(page, at(listed.href))
        await compareList(stage(), listed)
      }
    },
    taskMs,
  )
  test(
    'the score of a site and the state of the ledger are those of the interface',
    async () => {
      const { page, shop, at } = stage()
      await page.goto(at('site-health'))
      const { score, components } = (await shop.call(getSiteHealth, { query: { siteId: shop.siteId } })).body
      await page.locator('.score').waitFor()
      expect(await page.locator('.score').textContent()).toBe(
        score === null ? text.nothing : String(Math.round(score)),
      )
      const scores = components.flatMap((part) => (part.score === null ? [] : [Math.round(part.score)]))
      expect(await page.locator('.columns .card > strong').allTextContents()).toEqual(
        scores.map((one) => text.siteHealth.of100(one)),
      )
      await follow(page, at('ledger'))
      const { entries } = (await shop.call(verifyLedger, {})).body
      await page.getByText(text.ledger.whole(formatCount(entries)), { exact: true }).waitFor()
    },
    taskMs,
  )
}

async function compareList({ page, patienceMs }: Stage, listed: Listed): Promise<void> {
  const { caption, shown, answered } = listed
  const lines = page.getByRole('group', { name: caption, exact: true }).locator('tbody tr')
  await lines.first().waitFor()
  const expected = await answered()
  expect(expected.length).toBeGreaterThan(0)
  const cells = () =>
    lines.evaluateAll(
      (rows, columns) =>
        rows.map((row) =>
          columns.map((column) => {
            const cell = row.querySelectorAll('td')[column]
            return (cell?.querySelector('strong') ?? cell)?.textContent
          }),
        ),
      shown,
    )
  await expect.poll(cells, { timeout: patienceMs }).toEqual(expected)
}

function lists({ shop }: Stage): Listed[] {
  const { siteId } = shop
  const sites = { query: { window: '30d', timezone: 'UTC' } }
  const paths = { query: { siteId, window: '30d', timezone: 'UTC', limit: 200 } }
  return [
    {
      href: 'sites?window=30d&timezone=UTC',
      caption: text.pages.allSites,
      shown: [1, 3, 4],
      answered: async () =>
        (await shop.call(listSiteFigures, sites)).body.sites.map(({ visitors, liveVisitors, heldShare }) => [
          formatCount(visitors),
          formatCount(liveVisitors),
          heldShare === null ? text.nothing : formatShare(heldShare),
        ]),
    },
    {
      href: 'events',
      caption: text.pages.catalog,
      shown: [3],
      answered: async () =>
        (await shop.call(getCatalog, { query: { siteId, limit: 100 } })).body.data.map(({ volume }) => [
          formatCount(volume),
        ]),
    },
    {
      href: 'quarantine',
      caption: text.quarantine.causes,
      shown: [3],
      answered: async () =>
        (await shop.call(countQuarantined, { query: { site_id: siteId } })).body.groups.map(({ held }) => [
          formatCount(held),
        ]),
    },
    {
      href: 'people',
      caption: text.pages.people,
      shown: [4],
      answered: async () => {
        const query = { site_id: siteId, columns: 'name,email,plan', limit: 50 }
        return (await shop.call(listPeople, { query })).body.data.map(({ events }) => [formatCount(events)])
      },
    },
    {
      href: 'flow?window=30d&timezone=UTC',
      caption: text.flow.journeys,
      shown: [1, 2, 3],
      answered: async () =>
        (await shop.call(listJourneys, paths)).body.journeys
          .slice(0, 10)
          .map(({ sessions, share, converted }) => [
            formatCount(sessions),
            formatShare(share),
            formatCount(converted),
          ]),
    },
    {
      href: 'settings/usage',
      caption: text.usage.bySite,
      shown: [1, 2, 3, 4],
      answered: async () =>
        (await shop.call(getUsage, { query: {} })).body.sites.map(({ events }) =>
          (['accept', 'warn', 'quarantine', 'reject'] as const).map((outcome) =>
            formatCount(events[outcome]),
          ),
        ),
    },
  ]
}
