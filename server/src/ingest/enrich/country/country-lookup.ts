import { fileURLToPath } from 'node:url'
import type { CountryLookup } from './country.ts'
import { isSomewhere, readAddress } from './ip-address.ts'
import { readRangeFile } from './range-file.ts'
import { findCountry, type Range } from './range-table.ts'

/** Two tables of sorted `first,last,country` lines: IPv4 with numbers, IPv6 with addresses. */
export interface RangeFiles {
  readonly version4: string
  readonly version6: string
  /** Lines of the IPv6 table that are known to be wrong: no country is better than a false one. */
  readonly isWrongVersion6?: (range: Range) => boolean
}

const packageName = '@ip-location-db/geo-whois-asn-country'

/**
 * The tables that come with the server: addresses by their holders' own geofeeds, else by the registries
 * (data of the Number Resource Organization, nro.net, CC BY 4.0). They are those of June 2026 and will not be
 * renewed there; an operator may name newer files of the same form.
 */
export function packagedRangeFiles(): RangeFiles {
  const file = (name: string) => fileURLToPath(import.meta.resolve(`${packageName}/${name}`))
  return {
    version4: file('geo-whois-asn-country-ipv4-num.csv'),
    version6: file('geo-whois-asn-country-ipv6.csv'),
    isWrongVersion6: isRegistrySeat,
  }
}

/**
 * For most of what the Asian registry gave out of 2001::/16 the packaged table says Australia, where the
 * registry has its seat: Japan's WIDE, Malaysia's TM, Thailand's AIS. What is truly Australian there is lost
 * along with it.
 */
function isRegistrySeat(range: Range): boolean {
  return range.country === australia && range.firstHigh >>> 16 === 0x2001
}

const australia = ('A'.charCodeAt(0) << 8) | 'U'.charCodeAt(0)

/** Looks addresses up in the tables, which are read when the first address is asked for. */
export function createCountryLookup(files: RangeFiles): CountryLookup {
  let tables: ReturnType<typeof readTables> | undefined
  return (ip) => {
    const address = readAddress(ip)
    if (address === null || !isSomewhere(address)) return ''
    tables ??= readTables(files)
    return findCountry(address.version === 4 ? tables.version4 : tables.version6, address.high, address.low)
  }
}

function readTables({ version4, version6, isWrongVersion6 }: RangeFiles) {
  return {
    version4: readRangeFile(version4, 4, () => true),
    version6: readRangeFile(version6, 6, (range) => isWrongVersion6?.(range) !== true),
  }
}
