import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAddress } from './ip-address.ts'

test.each([
  ['0.0.0.0', { version: 4, high: 0, low: 0 }],
  ['255.255.255.255', { version: 4, high: 0xffff_ffff, low: 0 }],
  ['192.0.2.1', { version: 4, high: 0xc000_0201, low: 0 }],
  ['::ffff:192.0.2.1', { version: 4, high: 0xc000_0201, low: 0 }],
  ['::FFFF:c000:201', { version: 4, high: 0xc000_0201, low: 0 }],
  ['::', { version: 6, high: 0, low: 0 }],
  ['::1', { version: 6, high: 0, low: 0 }],
  ['2001:db8::1', { version: 6, high: 0x2001_0db8, low: 0 }],
  ['2001:DB8:a:b:c:d:e:f', { version: 6, high: 0x2001_0db8, low: 0x000a_000b }],
  ['2001::a:b:c:d:e', { version: 6, high: 0x2001_0000, low: 0x0000_000a }],
  ['2001:db8:1:2::', { version: 6, high: 0x2001_0db8, low: 0x0001_0002 }],
  ['64:ff9b::192.0.2.33', { version: 6, high: 0x0064_ff9b, low: 0 }],
  ['fe80::1%eth0', { version: 6, high: 0xfe80_0000, low: 0 }],
])('%s is read', (text, address) => {
  expect(readAddress(text)).toEqual(address)
})

test.each([
  ...['', '1', '1.2.3', '1.2.3.4.5', '1.2.3.256', '1..2.3', '1.2.3.4 ', 'a.b.c.d', '-1.2.3.4'],
  ...[
    ':',
    ':::',
    '1:2',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    '12345::',
    'g::',
    '1:2:3:4:5:6:7:8::',
  ],
  ...['::1.2.3', '1.2.3.4::', '1:', ':1', '2001:db8::1:', 'unknown', `::${'0'.repeat(80)}`],
])('%j is no address', (text) => {
  expect(readAddress(text)).toBeNull()
})

test('whatever Node takes for an address is read with the same version, and nothing else is', () => {
  const nearly = fc.stringMatching(/^[0-9a-f:.]{0,24}$/)
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), nearly, fc.string()), (text) => {
      const address = readAddress(text)
      // A mapped IPv4 address counts as version 6 for Node and as what it means for us.
      const version =
        text.toLowerCase().startsWith('::ffff:') && address?.version === 4 ? 6 : (address?.version ?? 0)
      return version === isIP(text) || text.includes('%')
    }),
    { numRuns: 5_000 },
  )
})
