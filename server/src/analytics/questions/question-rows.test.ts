import { readQuestion } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'
import { runs } from '../../testing/runs.ts'
import { createKeptRows, type ReadKept } from '../kept-rows/kept-rows.ts'
import { readPeriod } from '../period.ts'
import { createComputeWorker } from '../sequences/compute-worker.ts'
import { questionOf, rowFilters, store, stored } from '../testing/stored-events.ts'
import { answerQuestion } from './answers/answer.ts'
import { boundedRun } from './bounds.ts'

let world: World
let shop: TestWorkspace
beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())
const worker = createComputeWorker(0)
afterAll(() => worker.close())

const metric = fc.constantFrom(
  'visitors',
  'sessions',
  'pageviews',
  'events',
  'viewsPerSession',
  'bounceRate',
  'conversionRate',
  'avgSessionMs',
  'conversions',
  'revenue',
  'averageOrderValue',
)
const asked = fc
  .record({
    metrics: fc.uniqueArray(metric, { minLength: 1, maxLength: 4 }),
    time: fc.constantFrom([], ['time:hour']),
    group: fc.constantFrom([], ['source'], ['channel'], ['country'], ['device'], ['event'], ['page']),
    direction: fc.constantFrom('asc', 'desc'),
    byValue: fc.boolean(),
    limit: fc.constantFrom(1, 2, 10),
    other: fc.boolean(),
    compare: fc.constantFrom({}, { compare: 'previous' }),
  })
  .map(({ metrics, time, group, direction, byValue, limit, other, compare }) => ({
    siteId: 'site_1',
    from: '2026-06-01T02:00:00.000Z',
    to: '2026-06-01T08:00:00.000Z',
    timezone: 'UTC',
    metrics,
    dimensions: [...time, ...group],
    ...(group.length > 0 && { orderBy: [[byValue ? group[0] : metrics[0], direction]], limit, other }),
    ...compare,
  }))

test('the answer of kept rows is that of the store', async () => {
  const { events, requireSite } = world.product.deps
  const site = await requireSite(shop.workspaceId, shop.siteId)
  const kept = createKeptRows({ events, now: Date.now }, worker).read
  let fromRows = 0
  const heard: ReadKept = async (...question) => {
    const answer = await kept(...question)
    if (answer !== null) fromRows += 1
    return answer
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(stored, { minLength: 1, maxLength: 60 }),
      fc.array(asked, { minLength: 4, maxLength: 4 }),
      fc.boolean(),
      fc.constantFrom([], [{ currency: 'USD', rate: 0.9 }]),
      fc.option(rowFilters),
      async (rows, questions, includeBots, rates, given) => {
        const money = { currency: 'EUR', rates }
        const workspaceId = await store(events, rows, [['p1', 'p2']])
        const { filter } = questionOf(workspaceId, given, true, includeBots)
        for (const one of questions) {
          const question = readQuestion(one)
          const period = readPeriod({ ...question.period, timezone: 'UTC' }, 'UTC', Date.UTC(2026, 5, 9))
          const scope = { site, filter, money, period }
          const run = boundedRun(events, Date.now)
          const before = fromRows
          const text = JSON.stringify({ ...one, given })
          const ofRows = await answerQuestion({ run, readKept: heard }, question, scope)
          expect(fromRows - before, text).toBe('compare' in one ? 2 : 1)
          const ofStore = await answerQuestion({ run, readKept: async () => null }, question, scope)
          expect(ofRows, text).toEqual(ofStore)
        }
      },
    ),
    { numRuns: runs(10) },
  )
}, 240_000)
