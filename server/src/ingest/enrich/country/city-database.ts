import { type FileHandle, open } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type CityResponse, Reader } from 'mmdb-lib'
import { RecentMap } from '../../../platform/recent-map.ts'
import { regionOfCode, regionOfText } from '../../../platform/text/region-names.ts'
import { membersOf, textOf } from '../text.ts'
import { countryCode } from './country.ts'
import { nowhereKnown, type Place, placeOf } from './place.ts'

/** Why a file is no city database that can be used; the message says what to do. */
export class CityDatabaseError extends Error {}

/** Cities of addresses, from a file in MaxMind's format. */
export interface CityDatabase {
  /** What it calls itself, such as `GeoLite2-City`, and when it was made. */
  readonly type: string
  readonly madeAt: Date
  /** Without a country where it does not know the address. Throws if the record of the address is damaged. */
  readonly placeOf: (ip: string, version: 4 | 6) => Place
}

/** The largest city database, GeoIP2-Enterprise, has about 400 MB; all of it is kept in memory. */
const bytesMax = 2 ** 31 - 1

/** Which file it was, so that another one in its place is noticed. */
export type FileMark = string

interface ReadFile {
  readonly bytes: Buffer
  readonly mark: FileMark
}

/** Reads the file; null while it is the one of the mark. */
export async function readCityFile(path: string, known?: FileMark): Promise<ReadFile | null> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new CityDatabaseError(`${path} cannot be read (${error.code ?? error.message}).`)
  })
  try {
    return await readOpened(file, path, known)
  } finally {
    await file.close()
  }
}

async function readOpened(
  file: FileHandle,
  path: string,
  known: FileMark | undefined,
): Promise<ReadFile | null> {
  const { dev, ino, size, mtimeMs, isFile } = await file.stat().then((stat) => ({
    ...stat,
    isFile: stat.isFile(),
  }))
  if (!isFile) throw new CityDatabaseError(`${path} is no file.`)
  const mark = [dev, ino, size, mtimeMs].join(' ')
  if (mark === known) return null
  if (size > bytesMax) throw new CityDatabaseError(`${path} is larger than ${bytesMax} bytes.`)
  const bytes = Buffer.allocUnsafe(size)
  let length = 0
  while (length < size) {
    const { bytesRead } = await file.read(bytes, length, size - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return { bytes: bytes.subarray(0, length), mark }
}

/** Places of records that were asked for recently, by where the record lies in the file. Less than 2 MB. */
const recordsMax = 5_000
/** A record of a real database refers to about a hundred values, most of them names in other languages. */
const referencesMax = 1_000

/**
 * Opens a database, after a look at what it says of itself and at its first records: a file of another kind would be
 * noticed only by places that are missing, weeks later.
 */
export function openCityDatabase(path: string, bytes: Buffer): CityDatabase {
  requireDescription(path, bytes)
  const lookUp = createLookUp(path, bytes)
  requireCities(path, lookUp)
  const { databaseType, buildEpoch, ipVersion } = lookUp.metadata
  return {
    type: databaseType,
    madeAt: buildEpoch,
    // A database of version 4 would take the first bits of a longer address for a whole one.
    placeOf: (ip, version) => (version > ipVersion ? nowhereKnown : lookUp.find(ip).place),
  }
}

type Metadata = Reader<CityResponse>['metadata']
type LookUp = { metadata: Metadata; find: (ip: string) => { place: Place; prefix: number } }

/** What is remembered is the place, not the record. The reader asks for the record first, then for its parts. */
function createLookUp(path: string, bytes: Buffer): LookUp {
  const recent = new RecentMap<{ value: Place }>(recordsMax)
  let asked = ''
  let references = 0
  const reader = readerOf(path, bytes, {
    get(offset) {
      references += 1
      // A damaged record may refer to itself, or to hundreds that refer to hundreds.
      if (references > referencesMax) throw new CityDatabaseError(`${path} has a record without an end.`)
      if (references > 1) return undefined
      asked = String(offset)
      return recent.get(asked)
    },
    set(offset, record) {
      if (String(offset) === asked) recent.set(asked, { value: placeOfRecord(membersOf(record).value) })
    },
  })
  return {
    metadata: reader.metadata,
    find(ip) {
      references = 0
      const [record, prefix] = reader.getWithPrefixLength(ip)
      const place = record === null ? nowhereKnown : (recent.get(asked)?.value ?? placeOfRecord(record))
      return { place, prefix }
    },
  }
}

type Cache = { get: (key: string | number) => unknown; set: (key: string | number, value: unknown) => void }

function readerOf(path: string, bytes: Buffer, cache: Cache): Reader<CityResponse> {
  try {
    const reader = new Reader<CityResponse>(bytes, { cache })
    const { nodeCount, searchTreeSize, ipVersion, databaseType, binaryFormatMajorVersion } = reader.metadata
    const isSound =
      Number.isSafeInteger(nodeCount) &&
      nodeCount > 0 &&
      searchTreeSize + separatorBytes <= bytes.length &&
      (ipVersion === 4 || ipVersion === 6) &&
      typeof databaseType === 'string' &&
      binaryFormatMajorVersion === 2
    if (!isSound) throw new RangeError('What it says of itself does not fit it.')
    return reader
  } catch (error) {
    throw damaged(path, error)
  }
}

const separatorBytes = 16
const damaged = (path: string, cause?: unknown) =>
  new CityDatabaseError(`${path} is damaged or incomplete: download it again.`, { cause })

/** The description stands at the end of the file, so a file that was cut off has none. */
const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const descriptionBytesMax = 128 * 1024

function requireDescription(path: string, bytes: Buffer): void {
  const end = bytes.subarray(-(descriptionBytesMax + marker.length))
  const place = end.lastIndexOf(marker)
  if (place >= 0) {
    requireShort(path, end.subarray(place + marker.length))
    return
  }
  const isArchive = bytes[0] === 0x1f && bytes[1] === 0x8b
  if (isArchive)
    throw new CityDatabaseError(`${path} is an archive: unpack it, and name the .mmdb file in it.`)
  throw new CityDatabaseError(
    `${path} is no complete database in MaxMind's format (.mmdb): download it again, and unpack it.`,
  )
}

const load = createRequire(import.meta.url)
// boundary: the reader's own decoder, which its index does not hand over.
const { default: Decoder } = load('mmdb-lib/lib/decoder.js') as typeof import('mmdb-lib/lib/decoder.js')

/** The reader has no bounds for the description, so it is read within some before. */
function requireShort(path: string, description: Buffer): void {
  let references = 0
  const counted = {
    get() {
      references += 1
      if (references > referencesMax) throw new RangeError('It refers to itself.')
    },
    set() {},
  }
  try {
    new Decoder(description, 0, counted).decode(0)
  } catch (error) {
    throw damaged(path, error)
  }
}

/** Networks that are looked at, from the first address on; those without a record are stepped over whole. */
const networksMax = 2_000

/** A database of countries or networks has the same format, and says in words what it is. */
function requireCities(path: string, { metadata: { databaseType, ipVersion }, find }: LookUp): void {
  const name = JSON.stringify(databaseType.slice(0, 100))
  if (!/city|enterprise/i.test(databaseType)) {
    throw new CityDatabaseError(
      `${path} is a ${name} database and has no cities. Download GeoLite2-City, GeoIP2-City or DB-IP City Lite.`,
    )
  }
  const starts = ipVersion === 6 ? [firstVersion4, firstVersion6] : [firstVersion4]
  try {
    if (starts.some((start) => hasPlace(start, find))) return
  } catch (error) {
    throw damaged(path, error)
  }
  throw new CityDatabaseError(
    `${path} calls itself ${name}, but its records have no country.iso_code as those of MaxMind and DB-IP have. ` +
      'Download GeoLite2-City or DB-IP City Lite.',
  )
}

type Start = { address: bigint; bits: number; text: (address: bigint) => string }

const firstVersion4: Start = {
  address: 1n << 24n,
  bits: 32,
  text: (address) => [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join('.'),
}
/** All addresses in use lie in 2000::/3. */
const firstVersion6: Start = {
  address: 2n << 124n,
  bits: 128,
  text: (address) =>
    Array.from({ length: 8 }, (_, index) =>
      ((address >> BigInt(112 - index * 16)) & 0xffffn).toString(16),
    ).join(':'),
}

function hasPlace({ address, bits, text }: Start, find: LookUp['find']): boolean {
  let next = address
  for (let network = 0; network < networksMax && next < 1n << BigInt(bits); network += 1) {
    const { place, prefix } = find(text(next))
    if (place.country !== '') return true
    const size = 1n << BigInt(bits - Math.min(bits, Math.max(1, prefix)))
    next = (next / size + 1n) * size
  }
  return false
}

/** Total on any record. Where a network is registered says little about where its visitors are. */
function placeOfRecord(record: unknown): Place {
  const { country, subdivisions, city } = membersOf(record)
  const code = countryCode(textOf(membersOf(country).iso_code))
  if (code === '') return nowhereKnown
  const [largest] = Array.isArray(subdivisions) ? subdivisions : []
  const { iso_code, names } = membersOf(largest)
  const region = textOf(iso_code)
  // DB-IP has names of regions alone.
  const name = textOf(membersOf(names).en)
  const known = regionOfCode(code, region) || (name === '' ? '' : regionOfText(code, name))
  return placeOf(code, known, textOf(membersOf(membersOf(city).names).en))
}
