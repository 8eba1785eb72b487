import { type CityDatabase, type FileMark, openCityDatabase, readCityFile } from './city-database.ts'
import type { CountryLookup } from './country-lookup.ts'
import { isSomewhere, readAddress } from './ip-address.ts'
import { countryOnly, nowhereKnown, type PlaceLookup } from './place.ts'

/** Places of addresses, and the file they come from. */
export interface Places {
  readonly placeOf: PlaceLookup
  /**
   * Takes another file in place of the one that was read, and says whether there was one. If it cannot be used, the one
   * before stays in use and this throws.
   */
  readonly refresh: () => Promise<boolean>
}

type PlacesOptions = {
  /** The packaged tables, for addresses that the database does not know. */
  countryOf: CountryLookup
  /** Undefined where no city database is configured. */
  file: string | undefined
  /** A record that is damaged: the address has the place that it has without the database. */
  onDamage: (error: unknown) => void
  /** Called with the database that is in use from now on. */
  onTaken: (database: Pick<CityDatabase, 'type' | 'madeAt'>) => void
}

/** The component that failures are reported for. */
export const cityDatabasePart = 'city database'

/** Throws if the configured file cannot be used. */
export async function openPlaces({ countryOf, file, onDamage, onTaken }: PlacesOptions): Promise<Places> {
  let database: CityDatabase | null = null
  let mark: FileMark | undefined

  async function refresh(): Promise<boolean> {
    if (file === undefined) return false
    const read = await readCityFile(file, mark)
    if (read === null) return false
    database = openCityDatabase(file, read.bytes)
    mark = read.mark
    onTaken(database)
    return true
  }

  function find(ip: string) {
    const address = database === null ? null : readAddress(ip)
    if (database === null || address === null || !isSomewhere(address)) return nowhereKnown
    try {
      return database.placeOf(address.version === 4 ? dotted(address.high) : withoutZone(ip), address.version)
    } catch (error) {
      onDamage(error)
      return nowhereKnown
    }
  }

  await refresh()
  return {
    placeOf(ip) {
      const found = find(ip)
      return found.country === '' ? countryOnly(countryOf(ip)) : found
    },
    refresh,
  }
}

/** An address of version 4 may be written as one of version 6, which not every database knows. */
const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')

const withoutZone = (ip: string) => ip.replace(/%.*$/s, '')
