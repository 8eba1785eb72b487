import { isIPv4 } from 'node:net'

/**
 * Writes small databases in MaxMind's format (maxmind.github.io/MaxMind-DB), since no real one may be part of a
 * repository. The reader under test is the one of a library, so what is wrong here fails there.
 */

type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value }

export type CityFile = {
  type?: string
  ipVersion?: 4 | 6
  /** Records by their networks, such as `81.2.69.0/24`; later ones lie over earlier ones. */
  networks: Readonly<Record<string, Value>>
  /** What is put in place of the description's own members. */
  description?: Readonly<Record<string, Value>>
}

/** As GeoLite2-City has it, with names in several languages and members that are not read. */
export function cityRecord(country: string, region: string, regionName: string, city: string): Value {
  return {
    city: { geoname_id: 2_950_159, names: { de: `${city} (auf Deutsch)`, en: city } },
    continent: { code: 'EU', geoname_id: 6_255_148, names: { en: 'Europe' } },
    country: { geoname_id: 2_921_044, iso_code: country, is_in_european_union: true, names: { en: country } },
    location: { accuracy_radius: 20, latitude: 52.5, time_zone: 'Europe/Berlin' },
    registered_country: { iso_code: 'ZW' },
    subdivisions: [
      { geoname_id: 2_950_157, iso_code: region, names: { en: regionName } },
      { iso_code: 'SMALL', names: { en: 'A part of it' } },
    ],
  }
}

/** As DB-IP City Lite has it: regions by their names alone. */
export const dbipRecord = (country: string, regionName: string, city: string): Value => ({
  city: { names: { en: city } },
  country: { iso_code: country },
  subdivisions: [{ names: { en: regionName } }],
})

type Node = [left: Node | number | null, right: Node | number | null]

export function cityFile({ type = 'GeoLite2-City', ipVersion = 6, networks, description }: CityFile): Buffer {
  const records = Object.values(networks).map(encode)
  const offsets = records.map((_, index) => sizeOf(records.slice(0, index)))
  const root: Node = [null, null]
  for (const [index, network] of Object.keys(networks).entries())
    insert(root, bitsOf(network, ipVersion), offsets[index] ?? 0)
  const nodes = numbered(root)
  const places = new Map(nodes.map((node, index) => [node, index]))
  const recordOf = (child: Node | number | null) => {
    if (child === null) return nodes.length
    return typeof child === 'number' ? nodes.length + separator.length + child : (places.get(child) ?? 0)
  }
  const tree = nodes.flatMap((node) => node.map((child) => uint(recordOf(child), 4)))
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_790_000_000,
    database_type: type,
    description: { en: 'For tests' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 32,
    ...description,
  })
  return Buffer.concat([...tree, separator, ...records, marker, metadata])
}

const separator = Buffer.alloc(16)
const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')

const sizeOf = (parts: readonly Buffer[]) => parts.reduce((sum, { length }) => sum + length, 0)

function numbered(node: Node): Node[] {
  return [node, ...node.flatMap((child) => (Array.isArray(child) ? numbered(child) : []))]
}

function insert(root: Node, bits: readonly number[], offset: number): void {
  let node = root
  for (const [depth, bit] of bits.entries()) {
    if (depth === bits.length - 1) {
      node[bit] = offset
      return
    }
    const child = node[bit] ?? null
    // A smaller network within a larger one: its halves start with what the whole had.
    const next: Node = Array.isArray(child) ? child : [child, child]
    node[bit] = next
    node = next
  }
}

/** Addresses of version 4 are the first of a tree of version 6. */
function bitsOf(network: string, ipVersion: 4 | 6): number[] {
  const [address = '', length = '0'] = network.split('/')
  const groups = isIPv4(address) ? version4(address) : version6(address)
  const own = groups.join('').slice(0, Number(length))
  const whole = isIPv4(address) && ipVersion === 6 ? '0'.repeat(96) + own : own
  return [...whole].map(Number)
}

const binary = (value: number, bits: number) => value.toString(2).padStart(bits, '0')
const version4 = (address: string) => address.split('.').map((part) => binary(Number(part), 8))

function version6(address: string): string[] {
  const [left = '', right = ''] = address.split('::')
  const parts = (side: string) => side.split(':').filter(Boolean)
  const gap = Array.from({ length: 8 - parts(left).length - parts(right).length }, () => '0')
  return [...parts(left), ...gap, ...parts(right)].map((part) => binary(Number.parseInt(part, 16), 16))
}

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

const types = { text: 2, double: 3, uint32: 6, map: 7, list: 11, boolean: 14 } as const

/** The first byte says what follows and how much of it; kinds above 7 stand in a second one. */
function head(type: number, size: number): Buffer {
  const length = size < 29 ? size : size < 285 ? 29 : 30
  const kind = type > 7 ? [length, type - 7] : [(type << 5) | length]
  const more = size < 29 ? [] : size < 285 ? [size - 29] : [(size - 285) >> 8, (size - 285) & 255]
  return Buffer.from([...kind, ...more])
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value)
    return Buffer.concat([head(types.text, bytes.length), bytes])
  }
  if (typeof value === 'boolean') return head(types.boolean, value ? 1 : 0)
  if (typeof value === 'number') return Number.isInteger(value) ? whole(value) : double(value)
  if (isList(value)) return Buffer.concat([head(types.list, value.length), ...value.map(encode)])
  const members = Object.entries(value)
  return Buffer.concat([
    head(types.map, members.length),
    ...members.flatMap(([name, one]) => [encode(name), encode(one)]),
  ])
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)
const whole = (value: number) => Buffer.concat([head(types.uint32, 4), uint(value, 4)])

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return Buffer.concat([head(types.double, 8), bytes])
}
