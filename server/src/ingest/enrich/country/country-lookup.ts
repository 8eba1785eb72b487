import { fileURLToPath } from 'node:url'
import { isSomewhere, readAddress } from './ip-address.ts'
import { readRangeFile } from './range-file.ts'
import { findCountry, type Range } from './range-table.ts'

/** Returns the country of an IP address, or empty. The address is used only for this and not stored. */
export type CountryLookup = (ip: string) => string

/** Two tables of sorted `first,last,country` lines: IPv4 with numbers, IPv6 with addresses. */
interface RangeFiles {
  readonly version4: string
  readonly version6: string
  /** Lines of the IPv6 table that are known to be wrong: no country is better than a false one. */
  readonly isWrongVersion6?: (range: Range) => boolean
}

const packageName = '@ip-location-db/geo-whois-asn-country'

/**
 * The tables that come with the server: addresses by their owners' geofeeds, otherwise by the registries
 * (data of the Number Resource Organization, nro.net, CC BY 4.0). They are from June 2026 and are not
 * updated; an operator may configure newer files of the same format.
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
 * For most of the Asian registry's part of 2001::/16 the packaged table says Australia, the seat of the
 * registry: Japan's WIDE, Malaysia's TM, Thailand's AIS. Addresses that really are Australian are lost along
 * with it.
 */
function isRegistrySeat(range: Range): boolean {
  return range.country === australia && range.firstHigh >>> 16 === 0x2001
}

const australia = ('A'.charCodeAt(0) << 8) | 'U'.charCodeAt(0)

/** Looks up addresses in the tables, which are read with the first look-up. */
export function createCountryLookup(files: RangeFiles): CountryLookup {
  let tables: ReturnType<typeof readTables> | undefined
  return (ip) => {
    const address = readAddress(ip)
    if (address === null || !isSomewhere(address)) return ''
    tables ??= readTables(files)
    return findCountry(address.version === 4 ? tables.version4 : tables.version6, address.high, address.low)
  }
}

let packaged: CountryLookup | null = null

/** One for all products of a process: to read the tables takes 0.3 s of a core, and 7.5 MB. */
export function packagedCountryLookup(): CountryLookup {
  packaged ??= createCountryLookup(packagedRangeFiles())
  return packaged
}

function readTables({ version4, version6, isWrongVersion6 }: RangeFiles) {
  return {
    version4: readRangeFile(version4, 4, () => true),
    version6: readRangeFile(version6, 6, (range) => isWrongVersion6?.(range) !== true),
  }
}
