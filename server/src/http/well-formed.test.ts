import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wellFormed } from './well-formed.ts'

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\ud800', 'a\udfffb', '\udc00\ud800', '__proto__', 0, null, true),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'binary', maxLength: 4 }), tie('any'), { maxKeys: 4 }),
  ),
})).any

test('whatever comes, no half of a pair is left, and all else stays as it was', () => {
  fc.assert(
    fc.property(value, (sent) => {
      const taken = wellFormed(sent)
      const text = JSON.stringify(taken)
      expect(text).toBe(JSON.stringify(JSON.parse(text)))
      expect(text).not.toMatch(/\\ud[89a-f]/i)
      if (!/\\ud[89a-f]/i.test(JSON.stringify(sent))) expect(taken).toBe(sent)
      expect(wellFormed(taken)).toBe(taken)
    }),
  )
})
