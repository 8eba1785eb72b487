import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyNumbers } from './key-numbers.ts'

/** Few different halves, so that keys share one of them and lie in each other's way. */
const half = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(0xffff_ffff, 0x8000_0000))

test('keys of 64 bits are numbered in the order in which they come, each once', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(half, half), { maxLength: 60 }), (keys) => {
      const numbers = new KeyNumbers()
      const expected = new Map<string, number>()
      for (const [low, high] of keys) {
        const key = `${high} ${low}`
        expect(numbers.find(low, high)).toBe(expected.get(key) ?? -1)
        if (!expected.has(key)) expected.set(key, expected.size)
        expect(numbers.take(low, high)).toBe(expected.get(key))
      }
      expect(numbers.size).toBe(expected.size)
    }),
  )
})

test('a table that grows keeps the numbers that it gave', () => {
  const numbers = new KeyNumbers()
  const keys = Array.from(
    { length: 20_000 },
    (_, index) => [Math.imul(index, 0x9e37_79b1) >>> 0, index % 7] as const,
  )
  expect(keys.map(([low, high]) => numbers.take(low, high))).toEqual([...keys.keys()])
  expect(keys.map(([low, high]) => numbers.find(low, high))).toEqual([...keys.keys()])
})
