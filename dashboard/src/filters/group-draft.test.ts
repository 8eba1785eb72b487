import type { Filter } from '@assay/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { draftOf, faultsIn, filterOf } from './draft.ts'
import { filterOfGroup, groupDraftOf, groupModes } from './group-draft.ts'

const values = fc.array(fc.oneof(fc.string({ minLength: 1, maxLength: 6 }), fc.integer(), fc.boolean()), {
  minLength: 1,
  maxLength: 3,
})
const unlike = values.filter((list) => new Set(list.map(String)).size === list.length)
const condition: fc.Arbitrary<Filter> = fc.oneof(
  fc.tuple(fc.constantFrom('is', 'isNot', 'contains'), fc.constantFrom('page', 'property:a'), unlike),
  fc.tuple(fc.constant('isSet' as const), fc.constant('page')),
  fc.tuple(fc.constantFrom('gt', 'lte'), fc.constant('property:a'), fc.constantFrom(5, '5', '2026-01-01')),
  fc.constant<Filter>(['did', { event: '$purchase', count: { op: 'gte', value: 1 } }]),
)
const { filter } = fc.letrec<{ filter: Filter; parts: Filter[] }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    condition,
    fc.tuple(fc.constantFrom('and', 'or'), tie('parts')),
    fc.tuple(fc.constant('not' as const), tie('filter')),
  ),
  parts: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
}))

/** Every part is opened in its form and applied without a change. */
function again(given: Filter): Filter {
  const group = groupDraftOf(given)
  if (group !== null) return filterOfGroup({ ...group, parts: group.parts.map(again) })
  const draft = draftOf(given)
  return draft === null ? given : filterOf(draft)
}

test('a filter of groups that is opened, part by part, and applied again is the same', () => {
  fc.assert(
    fc.property(filter, (given) => {
      expect(again(given)).toEqual(given)
    }),
  )
})

test('every mode of a group with some conditions is one that the API takes', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...groupModes),
      fc.array(fc.constant<Filter>(['isSet', 'page']), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (mode, parts, isWrapped) => {
        expect(faultsIn(filterOfGroup({ mode, parts, isWrapped }))).toEqual([])
      },
    ),
  )
})

test('a group without conditions is refused', () => {
  for (const mode of groupModes) {
    expect(faultsIn(filterOfGroup({ mode, parts: [], isWrapped: false })).length).toBeGreaterThan(0)
  }
})
