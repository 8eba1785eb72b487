import { describe, expect, test } from 'vitest'
import { type StruckVisit, tallyVisits } from '../../testing/error-tally.ts'
import { type DrawnVisit, drawVisits, randomOf, type Striking, strike } from '../../testing/error-traffic.ts'
import { runs } from '../../testing/runs.ts'
import type { Estimate } from './impact.ts'
import { orderValues } from './order-value.ts'
import { estimatesOf } from './session-tally.ts'

const orderValue = 50
const orders = { segment: 'new_visitor', cohort: '', orders: 1_000, sum: 50_000, squares: 2_500_000 }
const values = orderValues([orders])

/** Draws in the same visits: each is a group of errors of its own. */
const drawsEach = 10
const draws = drawsEach * runs(4)
const visitsEach = 3_000
/** Shops with the same incident. */
const incidentRuns = runs(40)

/** Estimates of harmless errors that are put into visits without changing anything else. */
function harmless(seed: number, goesOn: boolean, way: Striking): Estimate[] {
  const random = randomOf(seed)
  const struck = drawVisits(random, visitsEach, { goesOn }).map((visit): StruckVisit => {
    const errors = Array.from({ length: drawsEach }, (_, draw) => {
      const ms = strike(visit, random, way)
      return ms === null ? [] : [{ groupId: `harmless-${draw}`, ms, stage: 0 }]
    })
    return { ...visit, errors: errors.flat() }
  })
  return [...estimatesOf(tallyVisits(struck), true, values).values()]
}

type Incident = { way: Striking; cost: number; visits?: number }

/** An incident that keeps a share of those who would have bought afterwards from it, and ends their visits. */
function incident(
  seed: number,
  goesOn: boolean,
  { way, cost, visits = 4_000 }: Incident,
): { found: Estimate; truth: number } {
  const random = randomOf(seed)
  let wouldBuy = 0
  const meet = (visit: DrawnVisit): StruckVisit => {
    const ms = strike(visit, random, way)
    if (ms === null) return { ...visit, errors: [] }
    const errors = [{ groupId: 'incident', ms, stage: 0 }]
    const bought = visit.steps.find(({ isPurchase }) => isPurchase)
    if (bought === undefined || bought.ms <= ms) return { ...visit, errors }
    wouldBuy += 1
    if (random() >= cost) return { ...visit, errors }
    return { ...visit, errors, steps: visit.steps.filter((step) => step.ms <= ms) }
  }
  const struck = drawVisits(random, visits, { goesOn }).map(meet)
  const found = estimatesOf(tallyVisits(struck), true, values).get('incident')
  if (found === undefined) throw new Error('The incident affected no one.')
  return { found, truth: wouldBuy * cost * orderValue }
}

const shops = [
  { shop: 'visits end with the purchase', goesOn: false },
  { shop: 'visits continue after the purchase', goesOn: true },
]

const placebos: readonly { name: string; way: Striking }[] = [
  { name: 'at any step of a visit', way: { by: 'visit', chance: 0.1 } },
  { name: 'at every step alike', way: { by: 'step', chance: 0.025 } },
  { name: 'with time', way: { by: 'time', everyMs: 900_000 } },
]

/**
 * A small loss is visible only with many affected visits: of 4,000, a fifth at the checkout is too few to
 * rule out chance.
 */
const incidents: readonly (Incident & { name: string })[] = [
  { name: 'a fifth at the checkout', way: { by: 'stage', stage: 3, chance: 0.7 }, cost: 0.2, visits: 8_000 },
  { name: 'three tenths anywhere', way: { by: 'step', chance: 0.1 }, cost: 0.3 },
  { name: 'half anywhere', way: { by: 'step', chance: 0.05 }, cost: 0.5 },
  { name: 'half, once in a visit', way: { by: 'visit', chance: 0.3 }, cost: 0.5 },
  { name: 'most, again and again in the cart', way: { by: 'step', chance: 0.3, fromStage: 2 }, cost: 0.7 },
  { name: 'all, again and again in the cart', way: { by: 'step', chance: 0.3, fromStage: 2 }, cost: 1 },
]

describe.each(shops)('where $shop', ({ goesOn }) => {
  test.each(placebos)(
    'harmless errors $name are rarely called strong',
    ({ way }) => {
      const found = Array.from({ length: draws / drawsEach }, (_, seed) =>
        harmless(seed + 1, goesOn, way),
      ).flat()
      expect(found).toHaveLength(draws)
      expect(found.filter(({ evidence }) => evidence === 'insufficient')).toEqual([])
      const strong = found.filter(({ evidence }) => evidence === 'strong').length
      expect(strong).toBeLessThanOrEqual(draws * 0.05)
    },
    60_000,
  )

  test.each(incidents)(
    'an incident that costs $name is found, with its cost',
    (planted) => {
      const drawn = Array.from({ length: incidentRuns }, (_, seed) => incident(seed + 1, goesOn, planted))
      const right = drawn.filter(
        ({ found: { evidence, interval }, truth }) =>
          evidence === 'strong' && interval.low <= truth && truth <= interval.high,
      )
      expect(right.length).toBeGreaterThanOrEqual(incidentRuns * 0.85)
    },
    60_000,
  )
})
