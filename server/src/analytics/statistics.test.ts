import { describe, expect, test } from 'vitest'
import { medianOf, quantileOf, wilson90 } from './statistics.ts'

describe('the interval of a share', () => {
  // By the formula of Wilson (1927) with z = 1.6449, calculated by hand.
  test.each([
    [50, 100, 0.4188, 0.5812],
    [10, 100, 0.0609, 0.1599],
    [0, 30, 0, 0.0827],
    [30, 30, 0.9173, 1],
    [0, 0, 0, 1],
  ])('of %i in %i', (successes, trials, low, high) => {
    const [from, to] = wilson90(successes, trials)
    expect(from).toBeCloseTo(low, 3)
    expect(to).toBeCloseTo(high, 3)
  })
})

test('a median lies in the middle, a quantile in proportion, and nothing has none', () => {
  expect(medianOf([3, 1, 2])).toBe(2)
  expect(medianOf([4, 1])).toBe(2.5)
  expect(medianOf([])).toBeNull()
  expect(quantileOf([0, 10, 20, 30, 40], 0.95)).toBeCloseTo(38)
})
