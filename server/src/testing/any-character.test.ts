import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from './any-character.ts'

test('a string of any characters is well formed, and shrinks as those of fast-check do', () => {
  const text = fc.string({ unit: anyCharacter })
  fc.assert(fc.property(text, (made) => made.isWellFormed()))
  const failing = (made: string) => made.length < 3
  const { counterexample } = fc.check(fc.property(text, failing), { numRuns: 10_000 })
  expect(counterexample?.[0].length).toBeGreaterThanOrEqual(3)
})

test('strings that are dangerous to objects are among them', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 12 })
  const { failed } = fc.check(
    fc.property(text, (made) => !made.includes('__proto__')),
    { numRuns: 100_000 },
  )
  expect(failed).toBe(true)
})
