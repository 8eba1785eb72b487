import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createCountryLookup, packagedRangeFiles } from './country-lookup.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-ranges-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function lookupOf(version4: string, version6: string) {
  const names = { version4: join(folder, `${++files}-4.csv`), version6: join(folder, `${files}-6.csv`) }
  writeFileSync(names.version4, version4)
  writeFileSync(names.version6, version6)
  return createCountryLookup(names)
}

test('an address is found from the first to the last of its range and not outside it', () => {
  // 20.0.0.16 to 20.0.0.31 and 20.0.1.0 to 20.0.1.255.
  const lookup = lookupOf(
    '335544336,335544351,DE\n335544576,335544831,FR\n',
    '2400:a::,2400:a:0:ffff:ffff:ffff:ffff:ffff,JP\n2400:a:2::,2400:a:3:ffff:ffff:ffff:ffff:ffff,BR\n',
  )
  const version4 = ['20.0.0.15', '20.0.0.16', '20.0.0.31', '20.0.0.32', '20.0.1.0', '20.0.1.255', '20.0.2.0']
  expect(version4.map(lookup)).toEqual(['', 'DE', 'DE', '', 'FR', 'FR', ''])
  const version6 = ['2400:9::', '2400:a::', '2400:a:0:ffff::1', '2400:a:1::', '2400:a:2::', '2400:a:3:ffff::']
  expect(version6.map(lookup)).toEqual(['', 'JP', 'JP', '', 'BR', 'BR'])
  expect(lookup('::ffff:20.0.0.20')).toBe('DE')
})

test('headings, damaged lines, windows line ends and a missing last line end do no harm', () => {
  const version4 = 'first,last,country\r\n\r\n1,2\r\n3,4,\r\n335544336,335544351,DE\r\n335544352,335544367,FR'
  const lookup = lookupOf(version4, ',,\nx,y,zz\n2400::1:0:0:0:0,2400::2:0:0:0:0,DE')
  expect(['20.0.0.16', '20.0.0.40', '20.0.0.48', '2400::1:0:0:0:1'].map(lookup)).toEqual([
    'DE',
    'FR',
    '',
    'DE',
  ])
})

test('a table of many pieces and with more lines than its size suggests is read whole', () => {
  const countries = ['DE', 'FR', 'BR']
  const lines = Array.from({ length: 30_000 }, (_, index) => {
    const value = 0x0100_0000 + index * 2
    return { text: `${value},${value},${countries[index % 3]}`, value, country: countries[index % 3] }
  })
  const lookup = lookupOf(lines.map((line) => line.text).join('\n'), '')
  const wrong = lines.filter(({ value, country }) => lookup(dotted(value)) !== country)
  expect(wrong).toEqual([])
  expect(lookup('1.0.0.1')).toBe('')
})

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
}

test('a file without any line end is taken for empty', () => {
  expect(lookupOf('7'.repeat(600_000), '')('1.2.3.4')).toBe('')
})

test('a network that is nowhere has no country, whatever a table says', () => {
  const lookup = lookupOf('0,4294967295,DE\n', '::,ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff,DE\n')
  const nowhere = [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.1.1',
    '172.31.0.1',
    '192.168.1.1',
    '224.0.0.1',
  ]
  expect(nowhere.map(lookup).join('')).toBe('')
  expect(['::', '::1', 'fe80::1', 'fd00::1', 'ff02::1', '2001:db8::1'].map(lookup).join('')).toBe('')
  const beside = [
    '1.0.0.0',
    '11.0.0.0',
    '100.128.0.1',
    '172.32.0.1',
    '192.169.0.1',
    '223.255.255.255',
    '2001:db9::1',
  ]
  expect(beside.map(lookup)).toEqual(beside.map(() => 'DE'))
})

test('what is no address has no country', () => {
  expect(['', 'localhost', '1.2.3', '1.2.3.4, 5.6.7.8'].map(lookupOf('0,4294967295,DE\n', ''))).toEqual([
    '',
    '',
    '',
    '',
  ])
})

describe('the packaged tables', () => {
  const lookup = createCountryLookup(packagedRangeFiles())

  test.each([
    ['8.8.8.8', 'US'],
    ['193.0.6.139', 'NL'],
    ['46.4.84.25', 'DE'],
    ['200.160.2.3', 'BR'],
    ['77.88.8.8', 'RU'],
    ['114.114.114.114', 'CN'],
    ['168.126.63.1', 'KR'],
    ['2003:e0::1', 'DE'],
    ['2a01:e0a::1', 'FR'],
    ['2804:14c::1', 'BR'],
    ['2405:200:1::1', 'IN'],
    ['2601::1', 'US'],
  ])('know where %s is', (ip, country) => {
    expect(lookup(ip)).toBe(country)
  })

  test('do not place Japan, Malaysia and Thailand in Australia, where the registry has its seat', () => {
    expect(['2001:200::1', '2001:e68::1', '2001:44c8::1'].map(lookup)).not.toContain('AU')
  })
})
