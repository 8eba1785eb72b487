import fc from 'fast-check'
import { expect, test } from 'vitest'
import { idPrefixes, isId, newId } from './clock.ts'

test('ids are unique, of the form that is recognised, and of every letter', () => {
  fc.assert(
    fc.property(fc.constantFrom(...idPrefixes), fc.integer({ min: 200, max: 400 }), (prefix, count) => {
      const ids = Array.from({ length: count }, () => newId(prefix))
      expect(new Set(ids).size).toBe(count)
      expect(ids.every((id) => isId(prefix, id))).toBe(true)
      // The random part; 32 letters, each a hundred times on average.
      expect(new Set(ids.map((id) => id.slice(-16)).join('')).size).toBe(32)
    }),
    { numRuns: 20 },
  )
})
