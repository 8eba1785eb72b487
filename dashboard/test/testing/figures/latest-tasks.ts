import {
  createGoal,
  deleteGoal,
  driftDaysMax,
  getOverview,
  listAudiences,
  listDrift,
  listRecentEvents,
  listReplays,
} from '@assay/contract'
import { expect, test } from 'vitest'
import { formatCount, formatDecimals, formatDuration, formatShare } from '../../../src/format.ts'
import { text } from '../all-text.ts'
import { follow } from '../choose.ts'
import type { Stage } from '../watch-tasks.ts'

/** Pages that show what happens now, and what is watched: their figures are those of the interface. */
export function latestTasks(stage: () => Stage, taskMs: number): void {
  test(
    'live events, goals, audiences, replays and changed elements show what the interface gives',
    async () => {
      await compareLive(stage())
      await compareGoals(stage())
      await compareAudiences(stage())
      await compareReplays(stage())
      await compareDrift(stage())
    },
    taskMs,
  )
}

/** More than a page of the list, and of each verdict one. */
async function compareLive({ page, at, shop, patienceMs }: Stage): Promise<void> {
  const known = Array.from({ length: 23 }, (_, nth) => ({
    event: '$login',
    user_id: `live-${nth}`,
    properties: { method: 'mail' },
  }))
  const others = [
    { event: 'never_registered', user_id: 'live', properties: {} },
    { event: '$purchase', user_id: 'live', properties: { currency: 'EUR' } },
  ]
  await shop.send([...known, ...others], { outcomes: ['accept', 'quarantine', 'reject'] })
  const { data } = (await shop.call(listRecentEvents, { query: { site_id: shop.siteId } })).body
  await page.goto(at('live'))
  const rows = page.getByRole('list', { name: text.pages.live, exact: true }).getByRole('listitem')
  const shown = () =>
    rows.evaluateAll((all) =>
      all.map((row) => [
        row.querySelector('.event-name strong')?.textContent,
        row.querySelector('.badge')?.textContent,
      ]),
    )
  const told = data.map(({ sent_name, outcome }) => [sent_name, text.outcomes[outcome]])
  expect(new Set(told.map(([, verdict]) => verdict)).size).toBeGreaterThan(2)
  await expect.poll(shown, { timeout: patienceMs }).toEqual(told.slice(0, 20))
  await page.getByRole('button', { name: text.acts.more, exact: true }).click()
  await expect.poll(shown, { timeout: patienceMs }).toEqual(told.slice(0, 40))
  await follow(page, at('live?outcome=reject'))
  const rejected = told.filter(([, verdict]) => verdict === text.outcomes.reject)
  await expect.poll(shown, { timeout: patienceMs }).toEqual(rejected.slice(0, 20))
}

/** The cells of a table, row by row. */
function cellsOf({ page }: Stage, name: string): Promise<string[][]> {
  const rows = page.getByRole('group', { name, exact: true }).locator('tbody tr')
  return rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
  )
}

async function compareGoals(stage: Stage): Promise<void> {
  const { page, at, shop, patienceMs } = stage
  const { siteId } = shop
  const body = { siteId, name: 'Goal of figures', event: '$purchase' }
  const { id } = (await shop.call(createGoal, { body })).body
  const query = { siteId, window: '30d', event: '$purchase' }
  const { events } = (await shop.call(getOverview, { query })).body.metrics
  expect(events).toBeGreaterThan(3)
  await page.goto(at('settings/goals'))
  const counted = async () =>
    (await cellsOf(stage, text.pages.goals)).find(([name]) => name === body.name)?.slice(1, 3)
  await expect.poll(counted, { timeout: patienceMs }).toEqual(['$purchase', formatCount(events)])
  await shop.call(deleteGoal, { params: { id } })
}

async function compareAudiences(stage: Stage): Promise<void> {
  const { page, at, shop, patienceMs } = stage
  const { data } = (await shop.call(listAudiences, { query: { siteId: shop.siteId } })).body
  expect(data.length).toBeGreaterThan(0)
  await follow(page, at('audiences'))
  const sizes = async () => (await cellsOf(stage, text.pages.audiences)).map(([name, size]) => [name, size])
  await expect
    .poll(sizes, { timeout: patienceMs })
    .toEqual(data.map(({ name, size }) => [name, formatCount(size)]))
}

async function compareReplays(stage: Stage): Promise<void> {
  const { page, at, shop, patienceMs } = stage
  const { data } = (await shop.call(listReplays, { query: { site_id: shop.siteId } })).body
  expect(data.length).toBeGreaterThan(0)
  await follow(page, at('replays'))
  const shown = async () => (await cellsOf(stage, text.pages.replays)).map((cells) => cells.slice(1))
  await expect
    .poll(shown, { timeout: patienceMs })
    .toEqual(
      data.map(({ started_at, ended_at, user_id, anonymous_id, events }) => [
        formatDuration(Date.parse(ended_at) - Date.parse(started_at)),
        user_id ?? anonymous_id,
        formatCount(events),
      ]),
    )
}

async function compareDrift({ page, at, shop }: Stage): Promise<void> {
  const words = text.drift
  const { alerts } = (await shop.call(listDrift, { query: { siteId: shop.siteId } })).body
  expect(alerts.length).toBeGreaterThan(0)
  await follow(page, at('drift'))
  for (const { text: said, selector, observed, expectedPerDay, candidate } of alerts) {
    const card = page.getByRole('region', { name: said || selector, exact: true })
    const clicks = words.clicksText(formatCount(observed), driftDaysMax, formatDecimals(expectedPerDay, 1))
    await card.getByText(clicks, { exact: true }).waitFor()
    if (candidate === null) continue
    await card.getByText(words.likeness(formatShare(candidate.score)), { exact: true }).waitFor()
  }
}
