import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CityFile, cityFile, cityRecord, dbipRecord } from '../../../testing/city-file.ts'
import { CityDatabaseError, openCityDatabase } from './city-database.ts'
import { nowhereKnown, placeOf } from './place.ts'

const path = '/geo/city.mmdb'
const berlin = cityRecord('DE', 'BE', 'Land Berlin', 'Berlin')
const networks = {
  '81.2.0.0/16': berlin,
  '81.2.69.0/24': cityRecord('GB', 'ENG', 'England', 'London'),
  '8.8.8.8/32': { country: { iso_code: 'US' } },
  '2001:db8::/32': cityRecord('US', 'IL', 'Illinois', 'Springfield'),
}
const open = (file: Partial<CityFile> = {}) => openCityDatabase(path, cityFile({ networks, ...file }))

test.each([
  ['81.2.0.0', 4, placeOf('DE', 'DE-BE', 'Berlin')],
  ['81.2.68.255', 4, placeOf('DE', 'DE-BE', 'Berlin')],
  ['81.2.69.0', 4, placeOf('GB', 'GB-ENG', 'London')],
  ['81.2.69.255', 4, placeOf('GB', 'GB-ENG', 'London')],
  ['81.2.255.255', 4, placeOf('DE', 'DE-BE', 'Berlin')],
  ['81.3.0.0', 4, nowhereKnown],
  ['8.8.8.8', 4, { country: 'US', region: '', city: '' }],
  ['8.8.8.9', 4, nowhereKnown],
  ['2001:db8::1', 6, placeOf('US', 'US-IL', 'Springfield')],
  ['2001:db9::1', 6, nowhereKnown],
] as const)('%s is found', (ip, version, place) => {
  const { placeOf: find } = open()
  // The second time from memory.
  expect([find(ip, version), find(ip, version)]).toEqual([place, place])
})

test('a database says what it is and when it was made', () => {
  expect(open()).toMatchObject({ type: 'GeoLite2-City', madeAt: new Date(1_790_000_000_000) })
})

test('regions that have a name alone, as in DB-IP City Lite, get their code', () => {
  const { placeOf: find } = open({
    type: 'DBIP-City-Lite',
    networks: {
      '81.2.69.0/24': dbipRecord('DE', 'Bavaria', 'Munich (Schwabing)'),
      '8.8.8.8/32': dbipRecord('DE', 'Narnia', 'Munich'),
    },
  })
  expect(find('81.2.69.1', 4)).toEqual(placeOf('DE', 'DE-BY', 'Munich'))
  expect(find('8.8.8.8', 4)).toEqual(placeOf('DE', '', 'Munich'))
})

test('a database of version 4 knows no address of version 6', () => {
  const { placeOf: find } = open({ ipVersion: 4, networks: { '32.0.0.0/3': berlin } })
  expect(find('32.1.13.184', 4).country).toBe('DE')
  expect(find('2001:db8::1', 6)).toEqual(nowhereKnown)
})

test('the place of every address is the one of the smallest network that holds it', () => {
  const network = fc.record({ address: fc.nat(0xffff), length: fc.integer({ min: 17, max: 32 }) })
  fc.assert(
    fc.property(fc.array(network, { minLength: 1, maxLength: 20 }), fc.nat(0xffff), (given, asked) => {
      const sorted = given.toSorted((a, b) => a.length - b.length)
      const size = (length: number) => 2 ** (32 - length)
      const from = ({ address, length }: (typeof given)[number]) => address - (address % size(length))
      const text = (low: number) => `20.1.${low >>> 8}.${low & 255}`
      const nameOf = (one: (typeof given)[number]) => `City of ${from(one)} by ${one.length}`
      const named = sorted.map((one) => [
        `${text(from(one))}/${one.length}`,
        cityRecord('DE', 'BE', 'Berlin', nameOf(one)),
      ])
      const { placeOf: find } = open({ networks: Object.fromEntries(named) })
      const holder = sorted.findLast((one) => from(one) === asked - (asked % size(one.length)))
      const expected = holder === undefined ? nowhereKnown : placeOf('DE', 'DE-BE', nameOf(holder))
      expect(find(text(asked), 4)).toEqual(expected)
    }),
  )
})

describe('a file that cannot be used is refused', () => {
  const refusal = (bytes: Buffer): string => {
    try {
      openCityDatabase(path, bytes)
    } catch (error) {
      if (error instanceof CityDatabaseError) return error.message
      throw error
    }
    return ''
  }

  test.each([
    ['an empty one', Buffer.alloc(0), 'is no complete database'],
    ['a page of an error', Buffer.from('<html>Invalid license key</html>'), 'is no complete database'],
    ['an archive', Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'unpack it'],
    [
      'one of networks',
      cityFile({ type: 'GeoLite2-ASN', networks }),
      '"GeoLite2-ASN" database and has no cities',
    ],
    ['one of countries', cityFile({ type: 'GeoLite2-Country', networks }), 'Download GeoLite2-City'],
    [
      'one of another layout',
      cityFile({
        type: 'city ipv4',
        networks: { '8.8.8.0/24': { country_code: 'US', city: 'Mountain View' } },
      }),
      'no country.iso_code',
    ],
    ['one without records', cityFile({ networks: {} }), 'no country.iso_code'],
    [
      'one of another version',
      cityFile({ networks, description: { binary_format_major_version: 9 } }),
      'damaged',
    ],
    ['one that claims a larger tree', cityFile({ networks, description: { node_count: 1e9 } }), 'damaged'],
    ['one without a tree', cityFile({ networks, description: { node_count: 0 } }), 'damaged'],
    ['one with a tree of text', cityFile({ networks, description: { node_count: 'many' } }), 'damaged'],
    ['one of no known record size', cityFile({ networks, description: { record_size: 20 } }), 'damaged'],
    ['one without a type', cityFile({ networks, description: { database_type: 7 } }), 'damaged'],
  ])('%s', (_what, bytes, says) => {
    expect(refusal(bytes)).toContain(says)
    expect(refusal(bytes)).toContain(path)
  })

  test('whatever part of it is missing at the end', () => {
    const whole = cityFile({ networks })
    for (let length = 0; length < whole.length; length += 7)
      expect(refusal(whole.subarray(0, length))).not.toBe('')
  })

  test('random bytes behind a true mark, without a hang', () => {
    const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.uint8Array({ maxLength: 400 }), (before, after) => {
        expect(refusal(Buffer.concat([before, marker, after]))).not.toBe('')
      }),
      { numRuns: 2_000 },
    )
  })

  test('a description that grows without an end when it is read', () => {
    // Thirty lists of two, each of which refers twice to the one before.
    const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
    const first = Buffer.from([0x42, 0x61, 0x62])
    const lists = Array.from({ length: 30 }, (_, index) => {
      const before = index === 0 ? 0 : 3 + (index - 1) * 6
      return Buffer.from([0x02, 0x04, 0x20, before, 0x20, before])
    })
    const start = first.length + 29 * 6
    const pointer = Buffer.from([0x20, start + 2])
    const shift = (list: Buffer) =>
      Buffer.from([...list].map((byte, at) => (at === 3 || at === 5 ? byte + 2 : byte)))
    const bytes = Buffer.concat([Buffer.alloc(64), marker, pointer, first, ...lists.map(shift)])
    expect(refusal(bytes)).toContain('damaged')
  })
})

test('damaged records are found out when they are asked for, and never hang or make up a person', () => {
  const whole = cityFile({ networks })
  const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(damage, (changes) => {
      const bytes = Buffer.from(whole)
      for (const [at, byte] of changes) bytes[at] = byte
      try {
        const { placeOf: find } = openCityDatabase(path, bytes)
        for (const ip of ['81.2.69.1', '81.2.1.1', '8.8.8.8']) {
          const { country, region, city } = find(ip, 4)
          expect(country).toMatch(/^(?:[A-Z]{2})?$/)
          expect(region === '' || region.startsWith(`${country}-`)).toBe(true)
          expect(city.length).toBeLessThan(120)
        }
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
    }),
    { numRuns: 2_000 },
  )
})
