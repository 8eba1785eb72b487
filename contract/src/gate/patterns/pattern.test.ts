import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePattern, matchedCharactersMax, patternCharactersMax } from './pattern.ts'

function matches(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern)
  if (!compiled.ok) throw new Error(`${pattern}: ${compiled.problem}`)
  return compiled.matches(text)
}

test.each([
  ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'blue-shoes-42', true],
  ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'blue--shoes', false],
  ['^SKU-\\d{4,6}$', 'SKU-12345', true],
  ['^SKU-\\d{4,6}$', 'SKU-123', false],
  ['^(?:free|pro|team)(?:,(?:free|pro|team))*$', 'free,team', true],
  ['^https?://', 'https://shop.example/', true],
  ['colou?r', 'the colour red', true],
  ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 'a@b.co', true],
  ['^\\$\\d+\\.\\d\\d$', '$12.50', true],
  ['^[\\w.-]{3}$', 'a-b', true],
  ['^\\u00fc$', 'ü', true],
  ['^$', '', true],
  ['', 'anything', true],
])('the pattern %s judges %j as %s', (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected)
})

test.each([
  ['(a+)+$', 'several ways'],
  ['(a|a)*', 'several ways'],
  ['(a|ab)*c', 'several ways'],
  ['(\\w*\\d*)+x', 'several ways'],
  ['(.*,)*z', 'several ways'],
  ['(a*)*', 'several ways'],
  ['(?=a)b', 'look-ahead'],
  ['(?<!a)b', 'look-ahead'],
  ['(a)\\1', '\\1'],
  ['\\bword\\b', '\\b'],
  ['[a', 'never closed'],
  ['(a', 'never closed'],
  ['a)', 'no ('],
  ['*a', 'nothing before'],
  ['[z-a]', 'ends before'],
  ['a{5,2}', 'ends before'],
  ['(?:x{1,400}){1,400}', 'several ways'],
  ['(?:[a-z]\\d{900})', 'too many states'],
  ['a'.repeat(patternCharactersMax + 1), 'longer than'],
])('the pattern %s is refused, and the reason says %s', (pattern, reason) => {
  const compiled = compilePattern(pattern)
  expect(compiled.ok ? '' : compiled.problem).toContain(reason)
})

test('a text beyond the limit does not match, however it begins', () => {
  expect(matches('^a', 'a'.repeat(matchedCharactersMax))).toBe(true)
  expect(matches('^a', 'a'.repeat(matchedCharactersMax + 1))).toBe(false)
})

const atom = fc.constantFrom(
  'a',
  'b',
  '\\d',
  '[ab]',
  '[^a]',
  '.',
  '\\w',
  '-',
  '(?:ab|c)',
  '(b-)',
  '^',
  '$',
  '\\s',
  '[1-3x]',
)
const repeat = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?')
const piece = fc
  .tuple(atom, repeat)
  .map(([part, times]) => (part === '^' || part === '$' ? part : part + times))
const pattern = fc
  .array(fc.array(piece, { maxLength: 5 }), { minLength: 1, maxLength: 3 })
  .map((options) => options.map((option) => option.join('')).join('|'))
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-', '1', '7', ' ', '\n', 'x'), maxLength: 12 })

test('every pattern that is taken judges as the JavaScript engine does', () => {
  fc.assert(
    fc.property(pattern, text, (source, sample) => {
      const compiled = compilePattern(source)
      fc.pre(compiled.ok)
      expect(compiled.ok && compiled.matches(sample)).toBe(new RegExp(source).test(sample))
    }),
    { numRuns: 3000 },
  )
})

test('a hostile pattern on a hostile text of full length ends in a moment', () => {
  const compiled = compilePattern(`^${'[ab]*'.repeat(40)}c$`)
  const text = 'a'.repeat(matchedCharactersMax)
  const start = process.cpuUsage()
  expect(compiled.ok && compiled.matches(text)).toBe(false)
  // Two million steps take a fraction of a second of processor time; backtracking would never end.
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000)
})
