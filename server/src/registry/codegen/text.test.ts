import { expect, test } from 'vitest'
import { commentLine, commentLines, quoted } from './text.ts'

const byNumber = (codePoint: number) => `<${codePoint.toString(16)}>`

test('a description is split at every character that some language or editor takes for the end of a line', () => {
  expect(commentLines('a\nb\rc\r\nd\u2028e\u2029f\u0085g\vh\fi')).toEqual([...'abcdefghi'])
})

test('blank lines around a description go, those within it stay', () => {
  expect(commentLines('\n  \na\n\nb\n \n')).toEqual(['a', '', 'b'])
  expect(commentLines(' \n ')).toEqual([])
})

test('nothing invisible that could mislead a reader or end a file survives in a comment', () => {
  expect(commentLines('a\u0000b\u001bc\u202ed\u2066e\ufefff')).toEqual(['a b c d e f'])
  expect(commentLines('a\ud800b')).toEqual(['a\ufffdb'])
})

test('joined marks such as family emoji and Indic letters stay whole in a comment', () => {
  expect(commentLines('👨‍👩‍👧 क्‍ष')).toEqual(['👨‍👩‍👧 क्‍ष'])
})

test('a description in one line keeps its words and none of its line ends', () => {
  expect(commentLine(' a \n\n b\r\nc ')).toBe('a b c')
})

test('a literal escapes its quote and the backslash, and writes by number what cannot be seen', () => {
  expect(quoted(`it's`, "'", byNumber)).toBe("'it\\'s'")
  expect(quoted('say "a\\b"', '"', byNumber)).toBe('"say \\"a\\\\b\\""')
  expect(quoted('a\n\u00a0\u2028\u{e0001}\ud800 b', '"', byNumber)).toBe('"a<a><a0><2028><e0001><d800> b"')
  expect(quoted('größe 価格 😀', '"', byNumber)).toBe('"größe 価格 😀"')
})
