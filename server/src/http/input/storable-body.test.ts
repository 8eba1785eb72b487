import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../testing/any-character.ts'
import { storableBody, wellFormed } from './storable-body.ts'

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('\ud800', 'a\udfffb', '\udc00\ud800', '__proto__', 0, null, true),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: anyCharacter, maxLength: 4 }), tie('any'), { maxKeys: 4 }),
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

test('a NUL anywhere is refused, with its place', () => {
  const place = fc.array(fc.oneof(fc.constantFrom('a', 'b', '__proto__'), fc.nat({ max: 3 })), {
    maxLength: 5,
  })
  fc.assert(
    fc.property(place, fc.boolean(), (path, isKey) => {
      const inner: unknown = isKey ? { 'k\0': 1 } : 'a\0b'
      const body = path.reduceRight<unknown>(
        (value, step) =>
          typeof step === 'number' ? [...new Array(step).fill(0), value] : { x: 0, [step]: value },
        inner,
      )
      const field = path.join('.')
      expect(() => storableBody(body)).toThrow(
        expect.objectContaining({
          slug: 'invalid-parameter',
          options: expect.objectContaining({
            errors: [{ field, message: expect.stringContaining('NUL') }],
          }),
        }),
      )
    }),
  )
  expect(storableBody({ a: '\\u0000' })).toEqual({ a: '\\u0000' })
  expect(storableBody(undefined)).toBe(undefined)
})
