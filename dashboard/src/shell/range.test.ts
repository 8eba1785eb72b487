import { expect, test } from 'vitest'
import { comparisonOf, isWithinYear, overviewComparison, writtenComparison } from './range.ts'

const at = (search: string) => new URLSearchParams(search)

test.each([
  ['', 'previous'],
  ['compare=year', 'year'],
  ['compare=none', null],
  ['compare=2026-01-01..2026-01-31', { from: '2026-01-01', to: '2026-01-31' }],
  ['compare=2026-01-01', 'previous'],
  ['compare=x', 'previous'],
])('%s compares with %j, and is written as it was', (search, comparison) => {
  expect(comparisonOf(at(search))).toEqual(comparison)
  const written = writtenComparison(comparisonOf(at(search)))
  expect(comparisonOf(at(written === null ? '' : `compare=${written}`))).toEqual(comparison)
})

test.each([
  ['window=365d', true],
  ['window=400d', false],
  ['window=24h', true],
  ['from=2026-01-01&to=2026-12-31', true],
  ['from=2026-01-01&to=2027-01-01', false],
  ['from=2028-01-01&to=2028-12-31', true],
  ['from=2027-03-01&to=2028-02-29', true],
])('%s is compared with the year before: %s', (search, isOffered) => {
  expect(isWithinYear(at(search))).toBe(isOffered)
  expect(overviewComparison(at(`${search}&compare=year`))).toBe(isOffered ? 'year' : 'previous')
})

test('the overview, which takes no days to compare with, falls back to the usual comparison', () => {
  expect(overviewComparison(at('compare=2026-01-01..2026-01-31'))).toBe('previous')
  expect(overviewComparison(at('compare=none'))).toBeNull()
})
