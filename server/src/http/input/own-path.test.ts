import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../testing/any-character.ts'
import { ownPath } from './own-path.ts'

const origin = 'https://assay.example'

test('any redirect target becomes a path of this product', () => {
  const tricks = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '\t',
    '\n',
    '\r',
    '\0',
    ' ',
    ':',
    '@',
    '?',
    '#',
    'evil.example',
    'https:',
    'blob:http://own.invalid',
    'http://own.invalid',
    'javascript:',
    '%2f',
    '%5c',
    '[',
    '\u3002',
    '\uff0f',
    '\ud800',
  )
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(tricks, { maxLength: 8 }).map((parts) => parts.join('')),
    fc.array(tricks, { maxLength: 8 }).map((parts) => `/${parts.join('')}`),
  )
  fc.assert(
    fc.property(text, (wanted) => {
      const path = ownPath(wanted)
      expect(path).toMatch(/^\/(?![/\\])/)
      expect(new URL(path, origin).origin).toBe(origin)
      expect(ownPath(path)).toBe(path)
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  ['/', '/'],
  ['/ws_1/site_2?a=b&c=%20d#e', '/ws_1/site_2?a=b&c=%20d#e'],
  ['/connect?challenge=x', '/connect?challenge=x'],
  ['/\t/evil.example', '/'],
  ['/\n/evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['/\\evil.example', '/'],
  ['//evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/a/..//evil.example', '/'],
  ['https://evil.example/x', '/'],
  ['javascript:alert(1)', '/'],
  ['blob:http://own.invalid/x', '/'],
  ['', '/'],
])('%j leads to %j', (wanted, path) => {
  expect(ownPath(wanted)).toBe(path)
})
