import { getAllCountries, getAllTimezones } from 'countries-and-timezones'

/** `XX` is Cloudflare's value for unknown; `T1` (Tor) and other non-countries contain a digit. */
export function countryCode(value: string): string {
  const code = value.trim().toUpperCase()
  return /^[A-Z]{2}$/.test(code) && code !== 'XX' && code !== 'ZZ' ? code : ''
}

/** The code of a country that is named by its code or in English, as exports of other products have it. */
export function countryOfText(text: string): string {
  if (text.length <= 2) return countryCode(text)
  countriesByName ??= readCountryNames()
  return countriesByName.get(text.toLowerCase()) ?? ''
}

let countriesByName: ReadonlyMap<string, string> | null = null

/** Many have two: `Hong Kong` and `Hong Kong SAR China`. */
function readCountryNames(): ReadonlyMap<string, string> {
  const inEnglish = new Intl.DisplayNames('en', { type: 'region' })
  return new Map(
    Object.values(getAllCountries()).flatMap(({ id, name }) =>
      [name, inEnglish.of(id) ?? name].map((one) => [one.toLowerCase(), id] as const),
    ),
  )
}

/** Old names (`Asia/Calcutta`) included; a Map, since a plain object would also contain `constructor`. */
const countriesByTimezone: ReadonlyMap<string, string> = new Map(
  Object.values(getAllTimezones({ deprecated: true })).map((zone) => [zone.name, zone.countries[0] ?? '']),
)

/**
 * A time zone often spans several countries; the one it is named for comes first in the time zone database.
 */
export function countryOfTimezone(timezone: string): string {
  return countriesByTimezone.get(timezone) ?? ''
}
