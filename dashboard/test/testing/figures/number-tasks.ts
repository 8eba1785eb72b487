import {
  attributionModels,
  getAttributionReport,
  getRetention,
  getRevenueImpact,
  listEventHealth,
  listOutcomes,
  queryFunnel,
} from '@assay/contract'
import { expect, test } from 'vitest'
import { formatCount, formatMoney, formatShare } from '../../../src/format.ts'
import { hasEstimate, noEstimateReason } from '../../../src/pages/errors/estimate.ts'
import { text } from '../all-text.ts'
import { follow } from '../choose.ts'
import type { Stage } from '../watch-tasks.ts'

/** Reports besides the overview: their tables show what the API answers for the same link. */
export function numberTasks(stage: () => Stage, taskMs: number): void {
  test(
    'funnel, retention, errors, attribution and event health show the numbers of the interface',
    () => compareNumbers(stage()),
    taskMs,
  )
}

async function compareNumbers(stage: Stage): Promise<void> {
  await compareFunnel(stage)
  await compareRetention(stage)
  await compareErrors(stage)
  await compareAttribution(stage)
  await compareHealth(stage)
}

/** The cells of a table, row by row, once it is there. */
async function rowsOf({ page }: Stage, name: string): Promise<string[][]> {
  const rows = page.getByRole('group', { name, exact: true }).locator('tbody tr')
  await rows.first().waitFor()
  const lines = await rows.all()
  return Promise.all(lines.map((line) => line.locator('td').allTextContents()))
}

async function compareFunnel({ page, at, shop }: Stage): Promise<void> {
  const steps = [{ event: '$pageview' }, { event: '$purchase' }]
  const told = encodeURIComponent(JSON.stringify(steps))
  await page.goto(at(`funnels/own?window=30d&timezone=UTC&steps=${told}`))
  const body = { siteId: shop.siteId, window: '30d', timezone: 'UTC', steps, within: '1d' }
  const answer = (await shop.call(queryFunnel, { body })).body
  expect(answer.steps[1]?.entered).toBeGreaterThan(3)
  const bars = page.locator('.funnel li > span:last-child')
  await bars.first().waitFor()
  expect(await bars.allTextContents()).toEqual(
    answer.steps.map(
      ({ entered, conversionRate }) => `${formatCount(entered)} (${formatShare(conversionRate)})`,
    ),
  )
}

async function compareRetention(stage: Stage): Promise<void> {
  const { page, at, shop } = stage
  await follow(page, at('retention?window=30d&timezone=UTC&interval=day'))
  const query = { siteId: shop.siteId, window: '30d', timezone: 'UTC', interval: 'day' } as const
  const { cohorts, overall } = (await shop.call(getRetention, { query })).body
  const peopled = cohorts.filter(({ people }) => people > 0)
  expect(peopled.length).toBeGreaterThan(1)
  const [all, ...rows] = await rowsOf(stage, text.retention.cohorts)
  expect(all?.filter((cell) => cell !== '')).toEqual([
    text.retention.all,
    formatCount(peopled.reduce((sum, { people }) => sum + people, 0)),
    ...overall.filter(({ after, of }) => after > 0 && of > 0).map(({ share }) => formatShare(share)),
  ])
  expect(rows.filter(([, people]) => people !== '0').map(([, people]) => people)).toEqual(
    peopled.map(({ people }) => formatCount(people)),
  )
  const [first] = peopled
  const shares = (first?.returned ?? []).filter(({ after }) => after > 0)
  expect(rows[0]?.slice(2).filter((cell) => cell !== '')).toEqual(
    shares.map(({ share, isComplete }) => `${formatShare(share)}${isComplete ? '' : '*'}`),
  )
}

async function compareErrors(stage: Stage): Promise<void> {
  const { page, at, shop } = stage
  await follow(page, at('errors?window=30d'))
  const query = { siteId: shop.siteId, window: '30d' }
  const { results, currency } = (await shop.call(getRevenueImpact, { query })).body
  expect(results.length).toBeGreaterThan(0)
  const rows = await rowsOf(stage, text.errors.ranking)
  expect(rows.map(([, , , users]) => users)).toEqual(
    results.map(({ impact }) => formatCount(impact.affectedUsers)),
  )
  for (const [index, result] of results.entries()) {
    const loss = formatMoney(result.impact.totalRevenueLoss, currency)
    expect(rows[index]?.[1]).toContain(hasEstimate(result) ? loss : noEstimateReason(result))
    expect(rows[index]?.[2]).toBe(text.errors.evidences[result.evidence])
  }
  const unknown = results.find((result) => !hasEstimate(result))
  if (unknown === undefined) return
  await follow(page, at(`errors/${unknown.groupId}?window=30d`))
  await page.getByText(noEstimateReason(unknown), { exact: true }).waitFor()
}

async function compareAttribution(stage: Stage): Promise<void> {
  const { page, at, shop, patienceMs } = stage
  const words = text.attribution
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const [from, to] = [dayOf(Date.now() - 7 * 86_400_000), dayOf(Date.now())]
  const address = `from=${from}&to=${to}&timezone=UTC`
  await follow(page, at(`attribution?${address}`))
  // Without a click: what is not computed yet is computed when it is looked at.
  await page.getByText(words.upToDate, { exact: true }).waitFor()
  const query = { site_id: shop.siteId, from, to, group_by: 'channel' } as const
  const { outcomes, values, rows } = (await shop.call(getAttributionReport, { query })).body
  expect(rows.length).toBeGreaterThan(1)
  const total = values.map(({ currency, amount }) => formatMoney(amount, currency)).join(', ')
  await page.getByRole('heading', { name: words.outcomes(formatCount(outcomes)), exact: true }).waitFor()
  await page.getByText(words.worth(total), { exact: true }).waitFor()
  const expected = rows.map(({ key, touchpoints, credits }) => [
    key,
    formatCount(touchpoints),
    ...attributionModels.map((model) => credits[model].toFixed(2)),
  ])
  await expect.poll(() => rowsOf(stage, text.pages.attribution), { timeout: patienceMs }).toEqual(expected)
  await chooseOutcome(stage, { from, to })
}

/** From the report to one outcome of those that are offered, without knowing its id. */
async function chooseOutcome(stage: Stage, range: { from: string; to: string }): Promise<void> {
  const { page, shop, settled, inspect, patienceMs } = stage
  const words = text.explain
  await page.getByRole('link', { name: text.attribution.explainOne, exact: true }).click()
  const { data } = (await shop.call(listOutcomes, { query: { site_id: shop.siteId, ...range } })).body
  expect(data.length).toBeGreaterThan(10)
  const offered = async () =>
    (await rowsOf(stage, words.latest)).map(([, event, amount, who, id]) => [event, amount, who, id])
  const told = data.map(({ event, amount, currency, person_id, id }) => [
    event,
    amount === null ? text.nothing : formatMoney(amount, currency),
    person_id,
    id,
  ])
  expect(await offered()).toEqual(told.slice(0, 10))
  await page.getByRole('button', { name: text.acts.more, exact: true }).click()
  await expect.poll(offered, { timeout: patienceMs }).toEqual(told)
  expect(await inspect('attribution/explain')).toEqual([])
  const last = data.at(-1)
  await page.getByRole('link', { name: String(last?.id), exact: true }).click()
  const amount = formatMoney(last?.amount ?? Number.NaN, last?.currency ?? '')
  await page.getByRole('heading', { name: words.story(String(last?.event), amount), exact: true }).waitFor()
  expect(await page.getByLabel(words.outcomeId, { exact: true }).inputValue()).toBe(last?.id)
  await settled()
}

async function compareHealth(stage: Stage): Promise<void> {
  const { page, at, shop } = stage
  await follow(page, at('event-health?days=31'))
  // Longer than anything was sent: at the edge of a range an event would leave between two reads.
  const query = { site_id: shop.siteId, window: '31d' }
  const { data } = (await shop.call(listEventHealth, { query })).body
  expect(data.length).toBeGreaterThan(2)
  const rows = await rowsOf(stage, text.eventHealth.events)
  expect(rows.map(([name, , volume, , accepted]) => [name, volume, accepted])).toEqual(
    data.map(({ name, volume, accept_rate }) => [name, formatCount(volume), formatShare(accept_rate)]),
  )
}
