import { type EventContract, isCompatibleChange, type PropertyRule } from '@assay/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bump,
  changeBetween,
  compareVersions,
  nextVersion,
  promisesCompatibility,
  readVersion,
  type Version,
  writeVersion,
} from './versions.ts'

const numbers = fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99))
const rule: fc.Arbitrary<PropertyRule> = fc.record(
  {
    type: fc.constantFrom('string' as const, 'number' as const),
    required: fc.boolean(),
    description: fc.constantFrom('One', 'Two'),
    deprecated: fc.boolean(),
  },
  { requiredKeys: ['type'] },
)
const contract: fc.Arbitrary<EventContract> = fc
  .record({
    version: numbers.map(writeVersion),
    description: fc.constantFrom('One', 'Two'),
    properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), rule),
    additional: fc.constantFrom('accept' as const, 'warn' as const),
    purpose: fc.constantFrom('analytics_storage' as const, 'ad_storage' as const),
  })
  .map((members) => ({ key: 'x', name: 'x', status: 'draft', surfaces: ['web'], ...members }))

describe('a version', () => {
  test('is the same after it was written and read', () => {
    fc.assert(
      fc.property(numbers, (version) => {
        expect(readVersion(writeVersion(version))).toEqual(version)
      }),
    )
  })

  test('is ordered by its numbers, not by its letters', () => {
    expect(compareVersions([1, 10, 0], [1, 9, 9])).toBeGreaterThan(0)
    expect(compareVersions([2, 0, 0], [1, 99, 99])).toBeGreaterThan(0)
    expect(compareVersions([1, 2, 3], [1, 2, 3])).toBe(0)
  })
})

describe('a change', () => {
  const base: EventContract = {
    key: 'x',
    name: 'x',
    version: '1-0-0',
    status: 'published',
    description: 'One',
    properties: { a: { type: 'object', properties: { b: { type: 'string', description: 'One' } } } },
    additional: 'accept',
    surfaces: ['web', 'ios'],
    purpose: 'analytics_storage',
  }

  test.each<[string, Partial<EventContract>]>([
    ['none', {}],
    ['none', { surfaces: ['ios', 'web'] }],
    ['none', { severities: {} }],
    ['texts', { description: 'Two' }],
    ['texts', { owner: 'growth' }],
    ['texts', { properties: { a: { type: 'object', properties: { b: { type: 'string' } } } } }],
    ['shape', { surfaces: ['web'] }],
    ['shape', { properties: { ...base.properties, c: { type: 'number' } } }],
    ['shape', { severities: { value_not_allowed: 'warn' } }],
    ['breaking', { purpose: 'ad_storage' }],
    ['breaking', { properties: { a: { type: 'object', properties: { b: { type: 'number' } } } } }],
  ])('is %s when it says %j', (expected, members) => {
    expect(changeBetween(base, { ...base, ...members })).toBe(expected)
  })

  test('is none between a contract and itself', () => {
    fc.assert(fc.property(contract, (one) => changeBetween(one, one) === 'none'))
  })
})

describe('the next version', () => {
  const follows = (older: Version, newer: Version) => compareVersions(newer, older) > 0

  test('follows every version before it, and promises nothing that it does not keep', () => {
    fc.assert(
      fc.property(fc.array(contract, { maxLength: 3 }), contract, (before, draft) => {
        const next = nextVersion(before, draft)
        for (const older of before) {
          const version = readVersion(older.version)
          expect(follows(version, next)).toBe(true)
          const isKept = isCompatibleChange(older, draft).compatible || !promisesCompatibility(version, next)
          expect(isKept).toBe(true)
        }
      }),
    )
  })

  test('is the first where there is none before', () => {
    fc.assert(fc.property(contract, (draft) => writeVersion(nextVersion([], draft)) === '1-0-0'))
  })

  test('is always higher, whatever changed', () => {
    const change = fc.constantFrom('breaking' as const, 'shape' as const, 'texts' as const, 'none' as const)
    fc.assert(fc.property(numbers, change, (version, what) => follows(version, bump(version, what))))
  })
})
