import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../testing/any-character.ts'
import {
  allocate,
  camelCase,
  identifierWords,
  nameMembers,
  pascalCase,
  singular,
  snakeCase,
  wordsOf,
} from './names.ts'
import { oddNames } from './testing/torture-contracts.ts'

test.each([
  ['$purchase', ['purchase']],
  ['order_completed', ['order', 'completed']],
  ['orderCompleted', ['order', 'completed']],
  ['Order Completed', ['order', 'completed']],
  ['HTTPServerError', ['http', 'server', 'error']],
  ['utm-source', ['utm', 'source']],
  ['page2Title', ['page2', 'title']],
  ['größe', ['größe']],
  ['価格', ['価格']],
  ['ﬁne', ['fine']],
  ['a*/b', ['a', 'b']],
  ['😀', []],
])('the words of %s are %j', (name, words) => {
  expect(wordsOf(name)).toEqual(words)
})

test('an identifier never begins with a digit and is never empty', () => {
  expect(snakeCase(identifierWords('2fa_enabled', 'event'))).toBe('event_2fa_enabled')
  expect(pascalCase(identifierWords('', 'event'))).toBe('Event')
  expect(camelCase(identifierWords('***', 'property'))).toBe('property')
})

test.each([
  ['items', 'item'],
  ['line_items', 'line_item'],
  ['categories', 'category'],
  ['addresses', 'address'],
  ['boxes', 'box'],
  ['status', 'status_item'],
  ['address', 'address_item'],
  ['children', 'children_item'],
])('one of %s is %s', (many, one) => {
  expect(snakeCase(singular(many.split('_')))).toBe(one)
})

describe('names that clash', () => {
  const identifiers = (names: readonly string[]) => {
    const identify = nameMembers(names, camelCase, 'event')
    return names.map(identify)
  }

  test('leave the plain identifier to the one in snake_case and give the other a hash of its own', () => {
    const [plain, twin] = identifiers(['order_completed', 'orderCompleted'])
    expect(plain).toBe('orderCompleted')
    expect(twin).toMatch(/^orderCompleted_[0-9a-f]{8}$/)
  })

  test('give nobody the plain identifier when none is in snake_case', () => {
    const given = identifiers(['orderCompleted', 'order__completed'])
    expect(given).not.toContain('orderCompleted')
    expect(new Set(given).size).toBe(2)
  })

  test('do not change when another twin comes along', () => {
    const before = identifiers(['order_completed', 'orderCompleted'])
    const after = identifiers(['order_completed', 'orderCompleted', 'Order Completed'])
    expect(after.slice(0, 2)).toEqual(before)
  })

  test('make way for someone who is called what the hash would give', () => {
    const [, twin = ''] = identifiers(['order_completed', 'orderCompleted'])
    const wishes = [
      { source: '"order_completed"', identifier: 'orderCompleted', rank: 0 },
      { source: '"orderCompleted"', identifier: 'orderCompleted', rank: 1 },
      { source: 'thief', identifier: twin, rank: 0 },
    ]
    const given = allocate(wishes)
    expect(given.get('thief')).toBe(twin)
    expect(given.get('"orderCompleted"')).toMatch(/^orderCompleted_[0-9a-f]{9}$/)
  })
})

test('every name gets an identifier that no other has and that all three languages take for one', () => {
  const name = fc.oneof(fc.constantFrom(...oddNames), fc.string({ unit: anyCharacter, maxLength: 8 }))
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 40 }), (names) => {
      for (const identify of [camelCase, snakeCase, pascalCase]) {
        const given = names.map(nameMembers(names, identify, 'property'))
        expect(new Set(given).size).toBe(names.length)
        for (const identifier of given) {
          expect(identifier).toMatch(/^[\p{XID_Start}_][\p{XID_Continue}]*$/u)
          expect(identifier.normalize('NFKC')).toBe(identifier)
        }
      }
    }),
  )
})
