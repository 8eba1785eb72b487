import { expect, test } from 'vitest'
import { reloadedLine } from './event.ts'

const line = { country: 'DE', region: 'DE-BE', city: 'Berlin (DE-BE)', device: 'mobile' }
const mark = { letter: 'dl_1', is_stored: 0 }
const placeOf = (made: object) => {
  const { country, region, city } = JSON.parse(reloadedLine({ ...made }, line, mark))
  return { country, region, city }
}
const { device: _, ...place } = line

test('a repaired event keeps the place of the original', () => {
  expect(placeOf({})).toEqual(place)
  expect(placeOf({ country: 'DE' })).toEqual(place)
})

test('one that names another country has no region and city of the original', () => {
  expect(placeOf({ country: 'JP' })).toEqual({ country: 'JP', region: undefined, city: undefined })
})
