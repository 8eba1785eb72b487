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
