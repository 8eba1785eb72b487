import type { AudienceRules } from '@assay/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { draftOf, rulesOf } from './draft.ts'

const days = fc.option(
  fc.integer({ min: 1, max: 400 }).map((count) => `${count}d`),
  { nil: undefined },
)
const windowed = <Rest extends object>(rest: fc.Arbitrary<Rest>) =>
  fc.tuple(rest, days).map(([one, window]) => ({ ...one, ...(window !== undefined && { window }) }))
const text = fc.string({ minLength: 1, maxLength: 12 })
const condition = fc.oneof(
  windowed(
    fc.record({
      field: fc.constantFrom('orders', 'revenue', 'event.$purchase', 'daysSince.a.b', 'daysSinceSeen'),
      op: fc.constantFrom('eq', 'gte', 'lt'),
      value: fc.integer(),
    }),
  ),
  windowed(
    fc.record({
      field: fc.constantFrom('country', 'path'),
      op: fc.constantFrom('eq', 'contains'),
      value: text,
    }),
  ),
  fc.record({
    field: fc.constantFrom('source', 'trait.plan'),
    op: fc.constantFrom('in', 'notIn'),
    value: fc.array(text, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ field: fc.constantFrom('trait.plan', 'path'), op: fc.constantFrom('exists', 'notExists') }),
  fc.record({
    field: fc.constant('consent.ad_storage'),
    op: fc.constantFrom('eq', 'neq'),
    value: fc.constantFrom('granted', 'denied'),
  }),
)
const groupOf = (item: fc.Arbitrary<object>) =>
  fc
    .tuple(fc.constantFrom('all', 'any'), fc.array(item, { minLength: 1, maxLength: 3 }))
    .map(([join, items]) => ({ [join]: items }))
const rules = groupOf(fc.oneof(condition, groupOf(fc.oneof(condition, groupOf(condition)))))

test('rules that are opened in the editor and saved are the rules that they were', () => {
  fc.assert(
    fc.property(rules, (written) => {
      // boundary: made above in the form of the contract.
      const given = written as AudienceRules
      expect(rulesOf(draftOf(given))).toEqual(given)
    }),
  )
})
