import {
  batch,
  computeAttribution,
  explainOutcome,
  getAttributionJob,
  getAttributionReport,
  getTouchpoints,
  listAnomalies,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../platform/units.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../../testing/harness.ts'
import { dayOf } from './days.ts'

const midnightMs = Math.floor(Date.now() / dayMs) * dayMs
/** Every look at the clock is a millisecond later, so that the order of all that happens is known. */
const clock = { ms: midnightMs + 10 * hourMs }
const range = { from: dayOf(midnightMs - 2 * dayMs), to: dayOf(midnightMs) }
const waits = { headers: { prefer: 'wait=30' } }

let world: World
beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms++ })
})
afterAll(() => world?.close())

async function buy(shop: TestWorkspace, orderId: string, hoursAgo: number): Promise<void> {
  const event = {
    event: '$purchase',
    event_id: orderId,
    anonymous_id: 'device',
    ts: new Date(clock.ms - hoursAgo * hourMs).toISOString(),
    historical: true,
    properties: { amount: 10, currency: 'EUR', order_id: orderId },
    context: { page: { url: 'https://shop.example/?utm_source=may&utm_medium=email' } },
  }
  const { body } = await shop.call(batch, { body: { batch: [event] } })
  expect(body.summary).toMatchObject({ reject: 0, quarantine: 0 })
}

async function compute(shop: TestWorkspace): Promise<void> {
  const { body } = await shop.call(computeAttribution, { body: range })
  const read = async () => (await shop.call(getAttributionJob, { params: { id: body.job_id } })).body
  await untilTrue('the computation', async () => (await read()).status === 'done', 120_000)
}

const reportOf = async (shop: TestWorkspace) =>
  (await shop.call(getAttributionReport, { query: range }, waits)).body

test('a report holds every outcome that was acknowledged before its data_until, whatever was computed when', async () => {
  const step = fc.constantFrom('buy', 'buy', 'compute', 'later')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 5 }), async (steps) => {
      const shop = await world.newWorkspace()
      const acknowledged: number[] = []
      for (const [at, one] of steps.entries()) {
        if (one === 'later') clock.ms += 60_000
        if (one === 'compute') await compute(shop)
        if (one === 'buy') {
          await buy(shop, `order-${at}`, 1 + at)
          acknowledged.push(clock.ms)
        }
        const { outcomes, data_until } = await reportOf(shop)
        const reachMs = Date.parse(data_until)
        expect(outcomes).toBeGreaterThanOrEqual(acknowledged.filter((ms) => ms < reachMs).length)
      }
      await compute(shop)
      expect(await reportOf(shop)).toMatchObject({ outcomes: acknowledged.length, pending_events: 0 })
    }),
    { numRuns: 3, endOnFailure: true },
  )
}, 240_000)

test('a report, touchpoints and an explanation reach as far as the last job, though the question waited', async () => {
  const shop = await world.newWorkspace()
  await buy(shop, 'first', 3)
  await shop.settle()
  const params = { outcomeId: 'first' }
  const reaches = async () => {
    const explained = await shop.call(explainOutcome, { params }, waits)
    const person = { personId: explained.body.identity.person_id }
    const touchpoints = await shop.call(getTouchpoints, { params: person }, waits)
    return [await reportOf(shop), explained.body, touchpoints.body].map((one) => Date.parse(one.data_until))
  }
  const before = await reaches()
  expect(before[0]).toBe(Date.parse(`${range.from}T00:00:00Z`))
  for (const reachMs of before) expect(reachMs).toBeLessThanOrEqual(Date.parse(`${range.to}T00:00:00Z`))

  const computedMs = clock.ms
  await compute(shop)
  const doneMs = clock.ms
  clock.ms += hourMs
  await buy(shop, 'second', 1)
  for (const reachMs of await reaches()) {
    expect(reachMs).toBeGreaterThanOrEqual(computedMs)
    expect(reachMs).toBeLessThanOrEqual(doneMs)
  }

  // Days of which nothing changed are up to date after a job all the same.
  const againMs = clock.ms
  await compute(shop)
  await compute(shop)
  for (const reachMs of await reaches()) expect(reachMs).toBeGreaterThanOrEqual(againMs)
}, 240_000)

test('anomalies reach to the end of the last hour that was judged, which waiting brings about', async () => {
  const shop = await world.newWorkspace()
  // After the workspace began, by the clock of the database too.
  clock.ms += 26 * hourMs
  const before = Date.parse((await shop.call(listAnomalies, { query: {} })).body.data_until)
  const [workspace] = await world.product.deps.control.query<{ created_at: Date }>(
    'SELECT created_at FROM workspaces WHERE id = $1',
    [shop.workspaceId],
  )
  expect(before).toBe(workspace?.created_at.getTime())
  const { body } = await shop.call(listAnomalies, { query: {} }, waits)
  const judgedMs = Date.parse(body.data_until)
  expect(judgedMs % hourMs).toBe(0)
  expect(clock.ms - judgedMs).toBeGreaterThanOrEqual(10 * 60_000)
  expect(clock.ms - judgedMs).toBeLessThan(hourMs + 10 * 60_000)
})
