import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecentMap } from './recent-map.ts'

test('what is remembered stays within its entries and characters, whatever keys are sent', () => {
  const key = fc.tuple(fc.string({ maxLength: 4 }), fc.integer({ min: 0, max: 300 }))
  fc.assert(
    fc.property(fc.array(key, { maxLength: 300 }), (keys) => {
      const map = new RecentMap<number>(20, 1_000)
      const texts = keys.map(([start, length]) => start + 'x'.repeat(length))
      for (const [index, text] of texts.entries()) {
        map.set(text, index)
        expect(map.get(text)).toBe(text.length > 125 ? undefined : index)
      }
      expect(map.size).toBeLessThanOrEqual(40)
      const held = [...new Set(texts)].filter((text) => map.get(text) !== undefined)
      expect(held.reduce((sum, text) => sum + text.length, 0)).toBeLessThanOrEqual(2_000)
    }),
  )
})

test('values that are weighed are bounded like keys, and one that grew too large is dropped', () => {
  const entry = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 300 }))
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 300 }), (sets) => {
      const map = new RecentMap<string>(20, 1_000, (value) => value.length)
      for (const [number, length] of sets) {
        const key = `k${number}`
        const value = 'x'.repeat(length)
        map.set(key, value)
        expect(map.get(key)).toBe(key.length + length > 125 ? undefined : value)
        const held = [...map.entries()].reduce((sum, [name, kept]) => sum + name.length + kept.length, 0)
        expect(held).toBeLessThanOrEqual(2_000)
      }
    }),
  )
})

test('what is listed is what would be found, each once, as it was set last', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.boolean())), (steps) => {
      const map = new RecentMap<number>(5)
      for (const [index, [number, isSet]] of steps.entries()) {
        if (isSet) map.set(`k${number}`, index)
        else map.delete(`k${number}`)
      }
      const listed = [...map.entries()]
      expect(new Set(listed.map(([key]) => key)).size).toBe(listed.length)
      const latest = new Map(steps.map(([number], index) => [`k${number}`, index]))
      for (const [key, value] of listed) expect(value).toBe(latest.get(key))
    }),
  )
})
