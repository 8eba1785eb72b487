import { type EvidenceLevel, evidenceLevels, segmentWeights } from '@assay/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tallyVisits } from '../../testing/error-tally.ts'
import { drawVisits, randomOf, strike } from '../../testing/error-traffic.ts'
import { type Control, type Moments, noMoments } from './baseline.ts'
import { type AffectedCell, estimate } from './impact.ts'
import { cellOf, stageOfCell } from './landmark.ts'
import { type OrderCell, orderValues } from './order-value.ts'
import { rank } from './revenue-impact.ts'
import { estimatesOf, momentsByKey } from './session-tally.ts'

const names = ['high_ltv', 'medium_ltv', 'low_ltv', 'new_visitor'] as const

/** Sessions without the error in one cell, each with one step of four there. */
function momentsOf(sessions: number, bought: number): Moments {
  return {
    ...noMoments,
    sessions,
    steps: sessions,
    stepsBought: bought,
    stepsSquared: sessions,
    shares: sessions / 4,
    sharesBought: bought / 4,
    sharesSquared: sessions / 16,
  }
}

const cells = [0, 1, 2, 3].flatMap((stage) =>
  [1, 4, 30].map((steps) => cellOf({ stage, isLater: steps > 1, steps, elapsedMs: steps * 20_000 })),
)

const affectedCell: fc.Arbitrary<AffectedCell> = fc
  .record({
    cell: fc.constantFrom(...cells),
    stratum: fc.constantFrom('mobile new', 'desktop returning'),
    segment: fc.constantFrom(...names),
    sessions: fc.integer({ min: 1, max: 400 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...rest }) => ({ ...rest, cohort: '', converted: Math.floor(share * rest.sessions) }))

const controls: fc.Arbitrary<Control> = fc
  .array(fc.record({ sessions: fc.nat(5_000), share: fc.double({ min: 0, max: 1, noNaN: true }) }), {
    minLength: cells.length,
    maxLength: cells.length,
  })
  .map((own) =>
    controlOf(
      own.map(({ sessions, share }, at) => ({
        cell: cells[at] ?? 0,
        stratum: 'mobile new',
        moments: momentsOf(sessions, Math.floor(share * sessions)),
      })),
    ),
  )

function controlOf(rows: Parameters<typeof momentsByKey>[0]): Control {
  const byKey = momentsByKey(rows)
  return { moments: (key) => byKey.get(key) ?? noMoments, onward: () => [] }
}

const someOrders: fc.Arbitrary<OrderCell[]> = fc
  .array(fc.record({ orders: fc.nat(90), value: fc.integer({ min: 1, max: 500 }) }), {
    minLength: 4,
    maxLength: 4,
  })
  .map((own) =>
    own.map(({ orders, value }, at) => ({
      segment: names[at] ?? 'low_ltv',
      cohort: '',
      orders,
      sum: orders * value,
      squares: orders * value ** 2,
    })),
  )

describe('what an error cost', () => {
  test('is the product of the formula, segment by segment, and lies strictly inside its interval', () => {
    fc.assert(
      fc.property(
        fc.array(affectedCell, { minLength: 1, maxLength: 12 }),
        controls,
        someOrders,
        (affected, control, orders) => {
          const found = estimate(affected, control, orderValues(orders))
          const product = found.bySegment.map(
            ({ sessions, orderValue }) => sessions * found.baselineRate * orderValue * found.dropOff,
          )
          const total = product.reduce((sum, one) => sum + one, 0)
          expect(found.loss).toBeCloseTo(total, 6)
          expect(found.bySegment.reduce((sum, one) => sum + one.sessions, 0)).toBe(found.affectedSessions)
          expect(found.bySegment.map(({ segment, weight }) => [segment, weight])).toEqual(
            Object.entries(segmentWeights),
          )
          const gap = found.baselineRate - found.affectedRate
          const kept = found.baselineRate === 0 ? 0 : Math.max(0, gap) / found.baselineRate
          expect(found.dropOff).toBeCloseTo(found.reliability * kept, 9)
          const { low, high } = found.interval
          expect([low >= 0, low <= found.loss, found.loss <= high + 1e-9]).toEqual([true, true, true])
          if (found.loss > 0) expect([low < found.loss, found.loss < high]).toEqual([true, true])
          if (found.evidence === 'strong') expect(low).toBeGreaterThan(0)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('of fewer than 30 sessions is never claimed', () => {
    const cell = cellOf({ stage: 3, isLater: false, steps: 4, elapsedMs: 90_000 })
    const cellsOf = (sessions: number): AffectedCell[] => [
      { cell, stratum: 'x', segment: 'low_ltv', cohort: '', sessions, converted: 0 },
    ]
    const control = controlOf([{ cell, stratum: 'x', moments: momentsOf(10_000, 9_000) }])
    const values = orderValues([
      { segment: 'low_ltv', cohort: '', orders: 100, sum: 5_000, squares: 250_000 },
    ])
    const found = (sessions: number) => estimate(cellsOf(sessions), control, values)
    expect(found(29).evidence).toBe('insufficient')
    expect(found(30)).toMatchObject({ evidence: 'strong', stage: 'checkout' })
  })

  test('does not hang on the order in which sessions are added up', () => {
    const values = orderValues([
      { segment: 'new_visitor', cohort: '', orders: 100, sum: 5_000, squares: 250_000 },
    ])
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 8, max: 60 }), (seed, count) => {
        const random = randomOf(seed)
        const visits = drawVisits(random, count, { goesOn: true }).map((visit) => {
          const ms = strike(visit, random, { by: 'visit', chance: 0.4 })
          return { ...visit, errors: ms === null ? [] : [{ groupId: 'g', ms, stage: 0 }] }
        })
        const [one, other] = [visits, visits.toReversed()].map((own) =>
          estimatesOf(tallyVisits(own), true, values).get('g'),
        )
        expect(other?.baselineRate ?? 0).toBeCloseTo(one?.baselineRate ?? 0, 9)
        expect(other?.interval.high ?? 0).toBeCloseTo(one?.interval.high ?? 0, 6)
      }),
      { numRuns: 2_000 },
    )
  })

  test('ranks groups by the loss, of two alike the one that met more sessions, and none without an estimate above one with', () => {
    const of = (
      groupId: string,
      totalRevenueLoss: number,
      affectedSessions: number,
      evidence: EvidenceLevel,
    ) => ({
      groupId,
      evidence,
      impact: { totalRevenueLoss, affectedSessions, affectedUsers: 1, bySegment: [] },
    })
    const few = of('few', 5_000, 12, 'insufficient')
    const ranked = rank([
      few,
      of('a', 216, 900, 'strong'),
      of('b', 409.66, 40, 'weak'),
      of('c', 0, 50, 'weak'),
      of('d', 0, 60, 'weak'),
    ])
    expect(ranked.map(({ groupId }) => groupId)).toEqual(['b', 'a', 'd', 'c', 'few'])
    const results = fc.array(
      fc
        .tuple(fc.nat(1_000), fc.nat(100), fc.constantFrom(...evidenceLevels))
        .map(([loss, sessions, evidence]) => of(`${loss} ${sessions} ${evidence}`, loss, sessions, evidence)),
    )
    fc.assert(
      fc.property(results, (given) => {
        const places = rank(given)
        const known = places.filter(({ evidence }) => evidence !== 'insufficient')
        expect(places.slice(0, known.length)).toEqual(known)
        const losses = known.map(({ impact }) => impact.totalRevenueLoss)
        expect(losses).toEqual(losses.toSorted((a, b) => b - a))
      }),
    )
  })

  test('uses cells that keep their stage and grow with steps and time', () => {
    const position = fc.record({
      stage: fc.integer({ min: 0, max: 3 }),
      isLater: fc.boolean(),
      steps: fc.integer({ min: 1, max: 10_000 }),
      elapsedMs: fc.nat(86_400_000),
    })
    fc.assert(
      fc.property(position, fc.nat(100), fc.nat(3_600_000), (at, moreSteps, moreMs) => {
        const later = { ...at, steps: at.steps + moreSteps, elapsedMs: at.elapsedMs + moreMs }
        expect(stageOfCell(cellOf(at))).toBe(at.stage)
        expect(cellOf(later)).toBeGreaterThanOrEqual(cellOf(at))
      }),
    )
  })
})
