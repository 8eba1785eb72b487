import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../testing/any-character.ts'
import { boundText, membersOf, textCharsMax, textOf } from './text.ts'

test('text of exactly the maximum is kept whole and one character more is cut', () => {
  expect(textOf('a'.repeat(textCharsMax))).toHaveLength(textCharsMax)
  expect(textOf('a'.repeat(textCharsMax + 1))).toHaveLength(textCharsMax)
})

test('a cut never leaves half a character', () => {
  expect(boundText('ab😀', 3)).toBe('ab')
  expect(boundText('ab😀', 4)).toBe('ab😀')
})

test('any text at any bound comes back well formed and within the bound', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.nat(40), (text, charsMax) => {
      const bounded = boundText(text, charsMax)
      return bounded.isWellFormed() && bounded.length <= charsMax
    }),
  )
})

test('a lone surrogate that was sent becomes a replacement character', () => {
  expect(textOf('a\ud800b')).toBe('a\ufffdb')
})

test('numbers are read as text, everything else that is not text is empty', () => {
  expect([2024, 1.5, Number.NaN, true, null, undefined, {}, ['a']].map((value) => textOf(value))).toEqual([
    '2024',
    '1.5',
    '',
    '',
    '',
    '',
    '',
    '',
  ])
})

test('members can be read of any value', () => {
  expect(membersOf({ a: 1 })).toEqual({ a: 1 })
  expect([null, undefined, 'text', 7].map((value) => membersOf(value).a)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
