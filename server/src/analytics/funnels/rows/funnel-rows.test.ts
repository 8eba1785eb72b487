import { type FunnelOrder, type FunnelStep, funnelOrders } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hourMs } from '../../../platform/units.ts'
import type { EventFilter } from '../../../store/event-filter.ts'
import type { Events } from '../../../store/events.ts'
import { startWorld, type World } from '../../../testing/harness.ts'
import { runs } from '../../../testing/runs.ts'
import { toChunkRows } from '../../tally/event-rows.ts'
import { rowBounds } from '../../tally/row-bounds.ts'
import { selectMerges, selectRows } from '../../tally/row-store.ts'
import { questionOf, startMs, store, stored } from '../../testing/stored-events.ts'
import { type FunnelPlan, selectLevels } from '../funnel-store.ts'
import { funnelOf, planOfRows } from './funnel-rows.ts'

let world: World
let events: Events
beforeAll(async () => {
  world = await startWorld()
  events = world.product.deps.events
})
afterAll(() => world?.close())

const range = { fromMs: startMs, toMs: startMs + 9 * hourMs }
const step = fc.constantFrom<FunnelStep>(
  { event: '$pageview' },
  { event: '$click' },
  { event: '$purchase' },
  { path: '/a' },
  { path: '/*' },
  { event: '$signup', path: '/:page' },
  { target: 'buy' },
)
const plan: fc.Arbitrary<FunnelPlan> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  order: fc.constantFrom<FunnelOrder>(...funnelOrders),
  by: fc.constantFrom('session', 'person'),
  withinMs: fc.constantFrom(1, hourMs / 2, 3 * hourMs),
  breakdown: fc.constantFrom(undefined, 'country', 'device', 'source', 'channel'),
})

async function rowsOf(filter: EventFilter) {
  const rows = new Uint8Array(await selectRows(events, filter, range, rowBounds))
  const merges = new Uint8Array(await selectMerges(events, filter.workspaceId))
  return toChunkRows({ rows, merges })
}

const sorted = (rows: readonly { level: unknown; segment: string; subjects: unknown }[]) =>
  rows.map(({ level, segment, subjects }) => `${level} ${segment} ${subjects}`).sort()

test('of rows, any funnel is what the statement of the store counts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(stored, { minLength: 5, maxLength: 60 }),
      fc.array(plan, { minLength: 6, maxLength: 6 }),
      async (events_, plans) => {
        const workspaceId = await store(events, events_, [['p1', 'p2']])
        const { filter } = questionOf(workspaceId, null, true, false)
        const rows = await rowsOf(filter)
        for (const one of plans) {
          const ofRows = planOfRows(one)
          if (ofRows === null) throw new Error('rows have all of it')
          const levels = await selectLevels(events, filter, range, one)
          expect(sorted(funnelOf(rows, ofRows).levels), JSON.stringify(one)).toEqual(sorted(levels))
        }
      },
    ),
    { numRuns: runs(10) },
  )
}, 180_000)
