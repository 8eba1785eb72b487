import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { median, percentile, Samples } from './statistics.ts'

describe('percentiles', () => {
  test('are values between the least and the greatest, and grow with the share', () => {
    // Zero has two signs, which sort as they like.
    const value = fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((found) => found + 0)
    const values = fc.array(value, { minLength: 1 })
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
        const found = percentile(list, share)
        const [least, greatest] = [Math.min(...list), Math.max(...list)]
        expect(found).toBeGreaterThanOrEqual(least)
        expect(found).toBeLessThanOrEqual(greatest)
        expect(percentile(list, 0)).toBe(least)
        expect(percentile(list, 1)).toBe(greatest)
        expect(percentile(list, Math.min(1, share + 0.1))).toBeGreaterThanOrEqual(found)
      }),
    )
  })

  test('lie between neighbours by straight line', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(percentile([10, 20, 30, 40, 50], 0.95)).toBeCloseTo(48)
    expect(percentile([7], 0.95)).toBe(7)
    expect(percentile([], 0.5)).toBeNaN()
  })
})

test('samples keep the newest when there are more than they hold, and count all', () => {
  const samples = new Samples(3)
  for (const value of [100, 1, 2, 3]) samples.add(value)
  expect(samples.count).toBe(4)
  expect(samples.percentile(1)).toBe(3)
  expect(samples.percentile(0)).toBe(1)
})
