import { segmentWeights } from '@assay/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AffectedCell, type Baseline, type Cell, type Estimate, estimate } from './impact.ts'
import { type OrderCell, orderValues } from './order-value.ts'
import { rank } from './revenue-impact.ts'

/** Mulberry32: small, seeded, good enough for drawing sessions. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Shop = {
  /** Share of the sessions that would have bought, but for the error, which it keeps from doing so. */
  cost: number
  affected: number
  unaffected: number
}

const devices = { mobile: 0.12, desktop: 0.34 } as const
const device = (random: () => number, mobileShare: number) => (random() < mobileShare ? 'mobile' : 'desktop')

/** A shop with known rates, in which the error meets mobile visitors more often, as errors do. */
function drawShop(seed: number, { cost, affected, unaffected }: Shop): { found: Estimate; truth: number } {
  const random = randomOf(seed)
  const orders: OrderCell = { segment: 'new_visitor', cohort: '', orders: 0, sum: 0, squares: 0 }
  const plain = new Map<string, Cell>()
  const add = (cells: Map<string, Cell>, key: string, isConverted: boolean) => {
    const cell = cells.get(key) ?? { sessions: 0, converted: 0 }
    cells.set(key, { sessions: cell.sessions + 1, converted: cell.converted + (isConverted ? 1 : 0) })
  }
  for (let session = 0; session < unaffected; session++) {
    const on = device(random, 0.4)
    const isConverted = random() < devices[on]
    add(plain, on, isConverted)
    add(plain, '', isConverted)
    if (!isConverted) continue
    // Exponential with a floor: skewed, mean 50.
    const paid = 20 - 30 * Math.log(1 - random())
    Object.assign(orders, {
      orders: orders.orders + 1,
      sum: orders.sum + paid,
      squares: orders.squares + paid ** 2,
    })
  }
  const hit = new Map<string, Cell>()
  let truth = 0
  for (let session = 0; session < affected; session++) {
    const on = device(random, 0.7)
    add(hit, on, random() < devices[on] * (1 - cost))
    truth += devices[on] * cost * 50
  }
  const cells = [...hit].map(
    ([stratum, cell]): AffectedCell => ({ ...cell, stage: 3, stratum, segment: 'new_visitor', cohort: '' }),
  )
  const baseline: Baseline = (_stage, stratum) => plain.get(stratum ?? '') ?? { sessions: 0, converted: 0 }
  return { found: estimate(cells, baseline, orderValues([orders])), truth }
}

const seeds = Array.from({ length: 100 }, (_, index) => index + 1)

describe('what an error cost', () => {
  test.each([
    { cost: 0.6, affected: 400, unaffected: 4_000 },
    { cost: 0.3, affected: 900, unaffected: 9_000 },
    { cost: 1, affected: 300, unaffected: 2_000 },
    { cost: 0, affected: 500, unaffected: 5_000 },
  ])('lies in the 90 % interval in at least 85 of 100 seeds: %o', (shop) => {
    const drawn = seeds.map((seed) => drawShop(seed, shop))
    const inside = drawn.filter(
      ({ found, truth }) => found.interval.low <= truth && truth <= found.interval.high,
    )
    expect(inside.length).toBeGreaterThanOrEqual(85)
  })

  test('is not put above a real one when there was none, and rarely called strong', () => {
    const harmless = seeds.map((seed) => drawShop(seed, { cost: 0, affected: 500, unaffected: 5_000 }).found)
    expect(harmless.filter(({ evidence }) => evidence === 'strong').length).toBeLessThanOrEqual(10)
    const real = seeds.map(
      (seed) => drawShop(seed + 1_000, { cost: 0.7, affected: 300, unaffected: 5_000 }).found,
    )
    const first = seeds.map((_, index) => {
      const results = [harmless[index], real[index]].flatMap((found, at) =>
        found === undefined ? [] : [{ groupId: `${at}`, evidence: found.evidence, impact: impactOf(found) }],
      )
      return rank(results)[0]?.groupId
    })
    expect(first.filter((groupId) => groupId === '1').length).toBeGreaterThanOrEqual(98)
  })

  test('is the product of the formula, segment by segment, and lies in its own interval', () => {
    const cell = fc.record({
      sessions: fc.integer({ min: 1, max: 400 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      stage: fc.integer({ min: 0, max: 4 }),
      stratum: fc.constantFrom('mobile', 'desktop'),
      segment: fc.constantFrom('high_ltv', 'medium_ltv', 'low_ltv', 'new_visitor'),
    })
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 1, maxLength: 12 }),
        fc.array(fc.record({ sessions: fc.nat(5_000), share: fc.double({ min: 0, max: 1, noNaN: true }) }), {
          minLength: 8,
          maxLength: 8,
        }),
        fc.array(fc.record({ orders: fc.nat(90), value: fc.integer({ min: 1, max: 500 }) }), {
          minLength: 4,
          maxLength: 4,
        }),
        (affected, plain, orders) => {
          const cells = affected.map(({ share, ...rest }) => ({
            ...rest,
            cohort: '',
            converted: rest.stage === 4 ? 0 : Math.floor(share * rest.sessions),
          }))
          const baseline: Baseline = (stage, stratum) => {
            const { sessions = 0, share = 0 } = plain[stage * 2 + (stratum === 'mobile' ? 1 : 0)] ?? {}
            return { sessions, converted: Math.floor(share * sessions) }
          }
          const names = ['high_ltv', 'medium_ltv', 'low_ltv', 'new_visitor'] as const
          const values = orderValues(
            orders.map(({ orders: count, value }, index) => ({
              segment: names[index] ?? 'low_ltv',
              cohort: '',
              orders: count,
              sum: count * value,
              squares: count * value ** 2,
            })),
          )
          const found = estimate(cells, baseline, values)
          expect(found.dropOff).toBeGreaterThanOrEqual(0)
          expect(found.dropOff).toBeLessThanOrEqual(1)
          const product = found.bySegment.map(
            ({ sessions, orderValue }) => sessions * found.baselineRate * orderValue * found.dropOff,
          )
          expect(found.loss).toBeCloseTo(
            product.reduce((total, one) => total + one, 0),
            6,
          )
          expect(found.bySegment.reduce((total, one) => total + one.sessions, 0)).toBe(found.affectedSessions)
          expect(found.bySegment.map(({ segment, weight }) => [segment, weight])).toEqual(
            Object.entries(segmentWeights),
          )
          expect(found.interval.low).toBeLessThanOrEqual(found.loss)
          expect(found.interval.high).toBeGreaterThanOrEqual(found.loss)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('of fewer than 30 sessions is never claimed', () => {
    const cellsOf = (sessions: number): AffectedCell[] => [
      { stage: 3, stratum: 'x', segment: 'low_ltv', cohort: '', sessions, converted: 0 },
    ]
    const baseline: Baseline = () => ({ sessions: 10_000, converted: 9_000 })
    const values = orderValues([
      { segment: 'low_ltv', cohort: '', orders: 100, sum: 5_000, squares: 250_000 },
    ])
    expect(estimate(cellsOf(29), baseline, values).evidence).toBe('insufficient')
    expect(estimate(cellsOf(30), baseline, values).evidence).toBe('strong')
  })
})

function impactOf({ loss, affectedSessions }: Estimate) {
  return { totalRevenueLoss: loss, affectedSessions, affectedUsers: affectedSessions, bySegment: [] }
}
