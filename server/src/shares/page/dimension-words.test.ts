import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dimensionText, valueTextOf } from './dimension-words.ts'

test.each([
  ['country', 'DE', 'Germany'],
  // No country has it, and no name can be made of it.
  ['country', 'QX', 'QX'],
  ['country', 'somewhere', 'somewhere'],
  ['region', 'DE-BY', 'Bavaria, Germany'],
  ['region', 'DE-ZZ', 'DE-ZZ'],
  ['city', 'Springfield (US-IL)', 'Springfield, Illinois'],
  ['city', 'Hamburg (DE-HH)', 'Hamburg, Germany'],
  ['city', 'Singapore (SG)', 'Singapore, Singapore'],
  ['city', 'Nowhere (DE-ZZ)', 'Nowhere, DE-ZZ'],
  ['city', 'Springfield', 'Springfield'],
  ['time:day', '2026-11-01T23:00:00.000Z', '2 Nov'],
  ['time:month', '2026-10-31T23:00:00.000Z', 'Nov 2026'],
  // What a site sends is no place, whatever it is called.
  ['property:country', 'DE', 'DE'],
  ['page', 'DE-BY', 'DE-BY'],
])('%s %s is read as %s', (dimension, value, shown) => {
  expect(valueTextOf(dimension, 'Europe/Berlin')(value)).toBe(shown)
})

test.each([
  ['time:week', 'Week'],
  ['entryPage', 'Entry page'],
  ['utm.source', 'UTM source'],
  ['os', 'Operating system'],
  ['property:cart.itemCount', 'cart.itemCount'],
  ['trait:plan', 'plan'],
])('%s is headed %s', (name, shown) => {
  expect(dimensionText(name)).toBe(shown)
})

test('any value has a text', () => {
  fc.assert(
    fc.property(fc.constantFrom('country', 'region', 'city'), fc.string({ minLength: 1 }), (name, value) => {
      expect(valueTextOf(name, 'UTC')(value)).not.toBe('')
    }),
  )
})
