import type { Filter } from '@assay/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { draftOf, faultsIn, filterOf } from './draft.ts'

const dimension = fc.constantFrom('page', 'country', 'utm.campaign', 'property:amount', 'property:a.b')
const property = fc.constantFrom('property:amount', 'property:a.b')
const value = fc.string({ minLength: 1, maxLength: 12 })
const values = fc.array(value, { minLength: 1, maxLength: 4 })
const number = fc.integer({ min: -1_000, max: 1_000 })
const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc.tuple(fc.constantFrom('is', 'isNot', 'contains', 'notContains', 'startsWith'), dimension, values),
  fc.tuple(fc.constantFrom('isSet', 'isNotSet'), dimension),
  fc.tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), property, number),
  fc.tuple(fc.constant('between' as const), property, fc.tuple(number, number)),
  fc.tuple(
    fc.constantFrom('inAudience', 'reached'),
    fc.array(fc.constantFrom('aud_1', 'goal_2'), { minLength: 1 }),
  ),
  fc.tuple(
    fc.constantFrom('did', 'didNot'),
    fc.record(
      {
        event: fc.constantFrom('$purchase', 'plan chosen'),
        count: fc.record({ op: fc.constantFrom('lte', 'eq'), value: fc.nat(50) }),
        within: fc.constantFrom('7d', '24h'),
        where: fc.constant([['isSet', 'page'] as const]),
      },
      { requiredKeys: ['event'] },
    ),
  ),
)

test('a filter that is opened in the form and saved again is the same', () => {
  fc.assert(
    fc.property(filter, (given) => {
      const draft = draftOf(given)
      expect(draft === null ? null : filterOf(draft)).toEqual(given)
    }),
  )
})

test('groups have no form', () => {
  expect(draftOf(['or', [['isSet', 'page']]])).toBeNull()
})

test.each([
  [['is', 'country', []], '[2]'],
  [['matches', 'page', ['(a+)+$']], '[2][0]'],
  [['did', { event: '' }], '[1].event'],
  [['reached', []], '[1]'],
] as const)('%j is refused at %s, as the API would', (given, place) => {
  expect(faultsIn(given).map(({ field }) => field)).toEqual([place])
})
