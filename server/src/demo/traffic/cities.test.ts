import { expect, test } from 'vitest'
import { regionName } from '../../platform/text/region-names.ts'
import { homeOf } from './cities.ts'
import { regions } from './people.ts'

test('every visitor lives in a city of their country, in a region that has a name', () => {
  for (const { country, timeZone } of regions) {
    for (let visitor = 1; visitor <= 50; visitor += 1) {
      const home = homeOf(timeZone, visitor)
      expect([home.country, home.city]).toEqual([country, expect.stringMatching(/./)])
      expect(regionName(`${home.country}-${home.region}`)).not.toBe('')
      expect(homeOf(timeZone, visitor)).toBe(home)
    }
  }
})
