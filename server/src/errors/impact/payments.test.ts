import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMs, store, stored } from '../../analytics/testing/stored-events.ts'
import { hourMs } from '../../platform/units.ts'
import type { Events } from '../../store/events.ts'
import { startWorld, type World } from '../../testing/harness.ts'
import { runs } from '../../testing/runs.ts'
import type { OrderCell } from './order-value.ts'
import { Payments } from './payments.ts'
import type { ImpactScope } from './session-store.ts'
import { selectOrderCells, selectPayments, selectValueLimits } from './value-store.ts'

let world: World
let events: Events
beforeAll(async () => {
  world = await startWorld()
  events = world.product.deps.events
})
afterAll(() => world?.close())

/** Orders and refunds of few people at few times, in two currencies that can be converted and one that cannot. */
const payment = stored.chain((row) =>
  fc
    .record({
      name: fc.constantFrom('$purchase', '$purchase', '$refund', '$subscribe', '$pageview'),
      amount: fc.constantFrom('0', '12.5', '80', '19.9999'),
      currency: fc.constantFrom('EUR', 'USD', 'XTS'),
    })
    .map((own) => ({ ...row, ...own })),
)

const scopeOf = (workspaceId: string): ImpactScope => ({
  filter: {
    workspaceId,
    siteId: 'site',
    includeBots: false,
    readOverlays: { overlay: null, superseded: null, hasMerges: true },
  },
  previousFromMs: startMs,
  previousToMs: startMs + 3 * hourMs,
  fromMs: startMs + 3 * hourMs,
  toMs: startMs + 9 * hourMs,
  money: { currency: 'EUR', rates: [{ currency: 'USD', rate: 0.9 }] },
  only: null,
})

const sorted = (cells: readonly OrderCell[]) =>
  cells
    .map(({ segment, cohort, orders, sum, squares }) =>
      JSON.stringify([segment, cohort, orders, sum.toFixed(4), squares.toFixed(4)]),
    )
    .sort()

test('what was paid and ordered is what the statements of the store say', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(payment, { minLength: 1, maxLength: 60 }), async (rows) => {
      const scope = scopeOf(await store(events, rows, [['p1', 'p2']]))
      const payments = new Payments(new Uint8Array(await selectPayments(events, scope, 1_000)))
      const limits = await selectValueLimits(events, scope)
      expect(payments.limits()).toEqual(limits)
      expect(sorted(payments.orderCells(limits))).toEqual(
        sorted(await selectOrderCells(events, scope, limits)),
      )
    }),
    { numRuns: runs(10) },
  )
}, 120_000)
