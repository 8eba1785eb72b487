import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compare, formatComparison } from './comparison.ts'
import type { Figure } from './report.ts'

const figure = (work: string, value: number, bare?: number): Figure => ({
  work,
  value,
  unit: 'ms',
  ...(bare !== undefined && { bare }),
})

test('only what both sides measured is compared, in the order of the later one', () => {
  const before = [figure('b', 2), figure('only before', 1), figure('a', 4, 8)]
  const after = [figure('a', 1, 4), figure('b', 3), figure('only after', 1)]
  expect(compare(before, after)).toEqual([
    { work: 'a', unit: 'ms', before: 4, after: 1, ratio: 0.25, ofBare: { before: 0.5, after: 0.25 } },
    { work: 'b', unit: 'ms', before: 2, after: 3, ratio: 1.5, ofBare: null },
  ])
  expect(compare([figure('a', 1)], [{ ...figure('a', 1), unit: 's' }])).toEqual([])
})

test('a ratio is after of before, and there is none of nothing', () => {
  const positive = fc.double({ min: 0.001, max: 1e9, noNaN: true })
  fc.assert(
    fc.property(positive, positive, (before, after) => {
      const [compared] = compare([figure('x', before)], [figure('x', after)])
      expect((compared?.ratio ?? Number.NaN) * before).toBeCloseTo(after, 5)
    }),
  )
  expect(compare([figure('x', 0)], [figure('x', 1)])[0]?.ratio).toBeNull()
})

test('the table shows before, after, the ratio and both against the bare limit', () => {
  const [heading, , row] = formatComparison(compare([figure('a', 400, 800)], [figure('a', 100, 400)])).split(
    '\n',
  )
  expect(heading).toMatch(/^work\s+before\s+after\s+ratio\s+of the bare limit$/)
  expect(row).toMatch(/^a\s+400 ms\s+100 ms\s+0\.25×\s+0\.5× → 0\.25×$/)
})
