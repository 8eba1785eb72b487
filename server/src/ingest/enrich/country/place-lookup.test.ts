import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { cityFile, cityRecord } from '../../../testing/city-file.ts'
import { openPlaces } from './place-lookup.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-cities-'))
const file = join(folder, 'city.mmdb')
afterEach(() => rmSync(file, { force: true, recursive: true }))

const country = (code: string) => ({ country: code, region: '', city: '' })
const inCity = (name: string) => ({ country: 'DE', region: 'DE-BE', city: `${name} (DE-BE)` })
const fileOf = (city: string) =>
  cityFile({ networks: { '81.2.69.0/24': cityRecord('DE', 'BE', 'Berlin', city) } })

const damages: unknown[] = []
const taken: string[] = []
function open(path: string | null = file) {
  damages.length = 0
  taken.length = 0
  return openPlaces({
    file: path ?? undefined,
    countryOf: (ip) => (ip.startsWith('10.') ? '' : 'FR'),
    onDamage: (error) => damages.push(error),
    onTaken: ({ type }) => taken.push(type),
  })
}

test('without a file an address has the country of the packaged tables', async () => {
  const { placeOf, refresh } = await open(null)
  expect(placeOf('81.2.69.1')).toEqual(country('FR'))
  expect(await refresh()).toBe(false)
})

test('with a file the tables are asked only for what it does not know', async () => {
  writeFileSync(file, fileOf('Berlin'))
  const { placeOf } = await open()
  expect(placeOf('81.2.69.1')).toEqual(inCity('Berlin'))
  expect(placeOf('::ffff:81.2.69.1')).toEqual(inCity('Berlin'))
  expect(placeOf('9.9.9.9')).toEqual(country('FR'))
  expect(placeOf('fe80::1%eth0')).toEqual(country('FR'))
  for (const none of ['', 'localhost', '1.2.3', '999.1.1.1', '::ffff:'])
    expect(placeOf(none)).toEqual(country('FR'))
  expect(taken).toEqual(['GeoLite2-City'])
  expect(damages).toEqual([])
})

test('a network that is nowhere has no place, whatever the file says', async () => {
  writeFileSync(file, cityFile({ networks: { '0.0.0.0/1': cityRecord('DE', 'BE', 'Berlin', 'Berlin') } }))
  const { placeOf } = await open()
  expect(placeOf('10.1.2.3')).toEqual(country(''))
  expect(placeOf('11.1.2.3')).toEqual(inCity('Berlin'))
})

test('a file that takes the place of the first is used from then on', async () => {
  writeFileSync(file, fileOf('Berlin'))
  const { placeOf, refresh } = await open()
  expect(await refresh()).toBe(false)
  writeFileSync(`${file}.new`, fileOf('Spandau'))
  renameSync(`${file}.new`, file)
  expect(await refresh()).toBe(true)
  expect(placeOf('81.2.69.1')).toEqual(inCity('Spandau'))
  expect(await refresh()).toBe(false)
  expect(taken).toEqual(['GeoLite2-City', 'GeoLite2-City'])
})

test('a file that cannot be used leaves the one before it in use, until there is a better one', async () => {
  writeFileSync(file, fileOf('Berlin'))
  const { placeOf, refresh } = await open()
  for (const broken of ['', 'half of a file', cityFile({ type: 'GeoLite2-ASN', networks: {} })]) {
    writeFileSync(file, broken)
    await expect(refresh()).rejects.toThrow(file)
    expect(placeOf('81.2.69.1')).toEqual(inCity('Berlin'))
  }
  rmSync(file)
  await expect(refresh()).rejects.toThrow('ENOENT')
  expect(placeOf('81.2.69.1')).toEqual(inCity('Berlin'))
  writeFileSync(file, fileOf('Pankow'))
  expect(await refresh()).toBe(true)
  expect(placeOf('81.2.69.1')).toEqual(inCity('Pankow'))
})

test('a missing file and a folder are refused', async () => {
  await expect(open(join(folder, 'none.mmdb'))).rejects.toThrow('ENOENT')
  await expect(open(folder)).rejects.toThrow('is no file')
})

test('a damaged record is reported, and its address has the country of the packaged tables', async () => {
  const whole = cityFile({
    networks: {
      '81.2.69.0/24': cityRecord('DE', 'BE', 'Berlin', 'Berlin'),
      '90.0.0.0/8': { country: { iso_code: 'NL' }, mark: 'here' },
    },
  })
  // A pointer to itself, in place of the text.
  const at = whole.indexOf(Buffer.from('Dhere'))
  // Pointers count from the first record, which starts with its city.
  const first = whole.indexOf(Buffer.from('Dcity')) - 1
  whole.writeUInt8(0x38, at)
  whole.writeUInt32BE(at - first, at + 1)
  writeFileSync(file, whole)
  const { placeOf } = await open()
  expect(placeOf('90.1.2.3')).toEqual(country('FR'))
  expect(damages.map(String)).toEqual([expect.stringContaining('without an end')])
  expect(placeOf('81.2.69.1')).toEqual(inCity('Berlin'))
})
