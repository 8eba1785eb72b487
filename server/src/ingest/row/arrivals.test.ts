import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createArrivals } from './arrivals.ts'

test('numbers grow with every event, whatever the clock does, and never get inexact', () => {
  const times = fc.array(fc.integer({ min: 0, max: Date.UTC(2105, 0, 1) }), { minLength: 1 })
  fc.assert(
    fc.property(times, fc.integer({ min: 0, max: 1e15 }), (clock, last) => {
      const arrivals = createArrivals(last)
      let before = last
      for (const ms of clock) {
        const number = arrivals.next(ms)
        expect(number).toBeGreaterThan(before)
        expect(number).toBeGreaterThanOrEqual(ms)
        expect(Number.isSafeInteger(number)).toBe(true)
        before = number
      }
    }),
  )
})
