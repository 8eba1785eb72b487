import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AttributionModel, dataDrivenMethods, attributionModels as models } from '@assay/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayMs } from '../../platform/units.ts'
import { creditOf, splitAmount, unitsOf, unitsPerCredit } from './credit.ts'
import { creditUnits, type Fit, fitPaths, type Path } from './credits.ts'
import { fitMarkov, markovTotals } from './markov.ts'
import { collapseRepeats, gatherPaths, type PathCount } from './paths.ts'

const settings = { halfLifeMs: 7 * dayMs, position: { first: 0.4, last: 0.4 } }
const noFit: Fit = {
  method: 'fallback',
  wanted: 'markov',
  reason: 'too_few_outcomes',
  conversions: 0,
  nulls: 0,
  channels: 0,
}

function row(path: string, conversions: number, nulls = 0): PathCount {
  return { channels: path.split(' > '), conversions, nulls }
}

/** A path of touchpoints a day apart, the last on the day of the outcome. */
function pathOf(channels: readonly string[]): Path {
  const touchMs = channels.map((_, index) => (index + 1 - channels.length) * dayMs)
  return { channels, touchMs, outcomeMs: 0 }
}

function totals(
  rows: readonly PathCount[],
  model: AttributionModel,
  fit: Fit = noFit,
): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { channels, conversions } of rows) {
    const units = creditUnits(model, pathOf(channels), settings, fit)
    channels.forEach((channel, index) => {
      sums[channel] = (sums[channel] ?? 0) + creditOf(units[index] ?? 0) * conversions
    })
  }
  return sums
}

function expectClose(found: Record<string, number>, expected: Record<string, number>, within: number) {
  for (const [channel, value] of Object.entries(expected)) {
    expect(Math.abs((found[channel] ?? 0) - value), `${channel} ${found[channel]} ${value}`).toBeLessThan(
      within,
    )
  }
}

const anyPath = fc.array(
  fc.record({
    channel: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
    ageMs: fc.integer({ min: 0, max: 400 * dayMs }),
  }),
  { minLength: 1, maxLength: 40 },
)
const anyRows = fc.array(
  fc.record({
    channels: fc.array(fc.constantFrom('A', 'B', 'C', 'D', 'E'), { minLength: 1, maxLength: 6 }),
    conversions: fc.integer({ min: 0, max: 900 }),
    nulls: fc.integer({ min: 0, max: 900 }),
  }),
  { minLength: 1, maxLength: 12 },
)

describe('credits', () => {
  test('of one outcome are exactly 1 under every model, method and setting, however they are added', () => {
    const property = fc.property(
      anyPath,
      anyRows,
      fc.constantFrom(...models),
      fc.constantFrom(...dataDrivenMethods),
      fc.integer({ min: 1, max: 90 * 24 }),
      fc.integer({ min: 0, max: 100 }),
      (touches, rows, model, method, halfLifeHours, firstPercent) => {
        const sorted = touches.toSorted((left, right) => right.ageMs - left.ageMs)
        const path = {
          channels: sorted.map(({ channel }) => channel),
          touchMs: sorted.map(({ ageMs }) => -ageMs),
          outcomeMs: 0,
        }
        const given = {
          halfLifeMs: halfLifeHours * 3_600_000,
          position: { first: firstPercent / 100, last: (100 - firstPercent) / 100 },
        }
        const credits = creditUnits(model, path, given, fitPaths(method, rows)).map(creditOf)
        expect(credits.every((credit) => credit >= 0)).toBe(true)
        expect(credits.reduce((sum, credit) => sum + credit, 0)).toBe(1)
        expect(credits.toReversed().reduce((sum, credit) => sum + credit, 0)).toBe(1)
        expect(credits.toSorted().reduce((sum, credit) => sum + credit, 0)).toBe(1)
      },
    )
    fc.assert(property, { numRuns: 300 })
  })

  test('are the same numbers after a way through JSON', () => {
    const units = unitsOf([1, 1, 1, 0.7, 1e-9])
    const told: number[] = JSON.parse(JSON.stringify(units.map(creditOf)))
    expect(told.map((credit) => credit * unitsPerCredit)).toEqual(units)
  })

  test('of weights that add up to nothing are shared equally', () => {
    expect(unitsOf([0, 0]).map(creditOf)).toEqual([0.5, 0.5])
  })

  test('split an amount without losing or making any of it', () => {
    const property = fc.property(
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      fc.array(fc.bigInt({ min: 0n, max: 2n ** 60n }), { minLength: 1, maxLength: 20 }),
      (amount, units) => {
        fc.pre(units.some((each) => each > 0n))
        const parts = splitAmount(amount, units)
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(amount)
        expect(parts.every((part) => part * amount >= 0n)).toBe(true)
      },
    )
    fc.assert(property, { numRuns: 200 })
  })
})

describe('a fit', () => {
  test('does not depend on the order of its rows, nor on how they are cut', () => {
    const property = fc.property(
      anyRows,
      fc.constantFrom(...dataDrivenMethods),
      fc.nat(1_000),
      (rows, method, seed) => {
        const halves = rows.flatMap((each) => [
          { ...each, nulls: 0 },
          { ...each, conversions: 0 },
        ])
        const shuffled = halves.map((each, at) => ({ each, place: (at * 7_919 + seed) % 1_009 }))
        const other = shuffled.sort((left, right) => left.place - right.place).map(({ each }) => each)
        expect(fitPaths(method, other)).toEqual(fitPaths(method, rows))
      },
    )
    fc.assert(property, { numRuns: 150 })
  })

  test('below 300 outcomes, or below 20 a channel, says so and the position model stands in', () => {
    expect(fitPaths('markov', [row('A > B', 299, 5)])).toMatchObject({ method: 'fallback', wanted: 'markov' })
    expect(fitPaths('markov', [row('A > B', 300, 5)])).toMatchObject({ method: 'markov' })
    const many = Array.from({ length: 16 }, (_, index) => row(`channel ${index}`, 19))
    expect(fitPaths('shapley', many)).toMatchObject({ method: 'fallback', conversions: 304, channels: 16 })
    const units = creditUnits('data_driven', pathOf(['A', 'B', 'C']), settings, noFit)
    expect(units).toEqual(creditUnits('position', pathOf(['A', 'B', 'C']), settings, noFit))
  })
})

describe('rules', () => {
  const nine = ['A', 'A > B', 'A > B > C', 'B', 'B > A', 'B > C > A', 'C', 'C > A', 'C > B > A'].map((path) =>
    row(path, 3),
  )
  test.each([
    ['first', { A: 9, B: 9, C: 9 }],
    ['last', { A: 15, B: 6, C: 6 }],
    ['linear', { A: 10.5, B: 9, C: 7.5 }],
    ['position', { A: 11.1, B: 8.4, C: 7.5 }],
  ] as const)('%s on nine short paths', (model, expected) => {
    expectClose(totals(nine, model), expected, 1e-9)
  })

  test('time decay halves with every half-life, without steps', () => {
    const touchMs = [28, 14, 7, 0].map((days) => -days * dayMs)
    const path = { channels: ['A', 'B', 'C', 'D'], touchMs, outcomeMs: 0 }
    const credits = creditUnits('time_decay', path, settings, noFit).map(creditOf)
    const expected = [1 / 29, 4 / 29, 8 / 29, 16 / 29]
    for (const [index, credit] of credits.entries()) expect(credit).toBeCloseTo(expected[index] ?? 0, 11)
  })

  test('time decay still distinguishes touchpoints a thousand half-lives back', () => {
    const path = { channels: ['A', 'B'], touchMs: [-7_008 * dayMs, -7_001 * dayMs], outcomeMs: 0 }
    const [early = 0, late = 0] = creditUnits('time_decay', path, settings, noFit)
    expect(late / early).toBeCloseTo(2, 9)
  })

  test.each([
    [1, [1]],
    [2, [0.5, 0.5]],
    [3, [0.4, 0.2, 0.4]],
    [5, [0.4, 0.2 / 3, 0.2 / 3, 0.2 / 3, 0.4]],
  ])('position of %i touchpoints', (length, expected) => {
    const path = pathOf(Array.from({ length }, (_, index) => `channel ${index}`))
    const credits = creditUnits('position', path, settings, noFit).map(creditOf)
    for (const [index, credit] of credits.entries()) expect(credit).toBeCloseTo(expected[index] ?? 0, 11)
  })
})

describe('Markov', () => {
  test('of three paths worked out by hand', () => {
    const fit = fitMarkov([row('C1 > C2 > C3', 1), row('C1', 0, 1), row('C2 > C3', 0, 1)])
    expectClose(fit.removalEffects, { C1: 0.5, C2: 1, C3: 1 }, 1e-12)
    expectClose(markovTotals(fit, 1), { C1: 0.2, C2: 0.4, C3: 0.4 }, 1e-12)
  })

  test('of two channels worked out by hand', () => {
    const fit = fitMarkov([row('ads', 2, 1), row('mail', 1), row('ads > mail', 1)])
    expect(fit.baseRate).toBeCloseTo(0.8, 12)
    expectClose(fit.removalEffects, { ads: 0.75, mail: 0.5 }, 1e-12)
    expectClose(markovTotals(fit, 4), { ads: 2.4, mail: 1.6 }, 1e-12)
  })

  test('of paths that none converts is nothing, and not a division by it', () => {
    expect(fitMarkov([row('A > B', 0, 4)])).toEqual({ baseRate: 0, removalEffects: { A: 0, B: 0 } })
  })
})

const reference = join(import.meta.dirname, '../../../../../shared/data/attribution')
if (existsSync(reference)) {
  const read = (file: string) => readFileSync(join(reference, file), 'utf8')
  const rows = read('channelattribution_PathData.csv')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [path = '', conversions, , nulls] = line.split(';')
      return row(path, Number(conversions), Number(nulls))
    })
  const outputs = JSON.parse(read('PathData_reference_outputs.json'))
  const column = (table: Record<string, Record<string, number>>, key: string | number) =>
    Object.fromEntries(Object.entries(table).map(([channel, values]) => [channel, values[key] ?? 0]))
  const exposures = gatherPaths(rows)

  describe('on 10,000 paths of ChannelAttribution, to 10^-6', () => {
    test.each(['first', 'last', 'linear'] as const)('%s', (model) => {
      expectClose(totals(rows, model), column(outputs.channelattribution_heuristics, `${model}_conv`), 1e-6)
    })
    test('position on raw paths and on exposures', () => {
      expectClose(totals(rows, 'position'), column(outputs.position_40_20_40_raw_paths, 0), 1e-6)
      expectClose(totals(exposures, 'position'), column(outputs.fractribution_position_based, 0), 1e-6)
    })
    test('Shapley as Ads Data Hub has it', () => {
      expectClose(
        totals(rows, 'data_driven', fitPaths('shapley', rows)),
        column(outputs.zhao_simplified_shapley, 0),
        1e-6,
      )
    })
    test('the counterfactual of fractribution', () => {
      const fit = fitPaths('counterfactual', rows)
      expectClose(totals(exposures, 'data_driven', fit), column(outputs.fractribution_shapley, 0), 1e-6)
    })
    test.each([
      ['with', rows, 0.2238451355968638],
      ['no', rows.map((each) => ({ ...each, nulls: 0 })), 1],
    ] as const)('Markov, %s null paths, and within 1.5 %% of a simulation', (word, given, baseRate) => {
      const fit = fitMarkov(given)
      const found = markovTotals(fit, 19_785)
      expect(fit.baseRate).toBeCloseTo(baseRate, 9)
      expectClose(found, column(outputs[`markov_closed_form_${word}_null`].channels, 'conversions'), 1e-6)
      const simulated = outputs[`channelattribution_markov_order1_2e7sims_${word}_null`]
      for (const [channel, value] of Object.entries(column(simulated, 'conversions'))) {
        if (value > 100) expect(Math.abs((found[channel] ?? 0) / value - 1)).toBeLessThan(0.015)
      }
    })
    test.each(models)('%s gives out 19,785 outcomes', (model) => {
      const fit = fitPaths('markov', rows)
      const sum = Object.values(totals(rows, model, fit)).reduce((total, each) => total + each, 0)
      expect(Math.abs(sum - 19_785)).toBeLessThan(1e-6)
    })
  })
  test('exposures collapse repeats and nothing else', () => {
    const { path_transforms: cases } = JSON.parse(read('worked_examples.json'))
    expect(collapseRepeats(cases.input.split(' > ')).join(' > ')).toBe(cases.exposure)
  })
} else console.info('The reference paths are not at hand; only our own cases are tested.')
