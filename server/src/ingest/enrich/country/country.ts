import { getAllTimezones } from 'countries-and-timezones'

/** An ISO 3166-1 alpha-2 code, or empty. Approximate when it was guessed from a time zone. */
export interface Country {
  readonly code: string
  readonly isApproximate: boolean
}

/** Returns the country of an IP address, or empty. The address is used only for this and not stored. */
export type CountryLookup = (ip: string) => string

const unknownCountry: Country = Object.freeze({ code: '', isApproximate: false })

/** Headers in which content delivery networks send the country of a request. Anyone can send them, too. */
const countryHeaders = [
  'cf-ipcountry',
  'x-vercel-ip-country',
  'cloudfront-viewer-country',
  'x-country-code',
] as const

/** Only for operators whose proxy sets these headers and removes foreign ones. */
export function countryOfHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): string {
  for (const name of countryHeaders) {
    const value = headers[name]
    const code = typeof value === 'string' ? countryCode(value) : ''
    if (code !== '') return code
  }
  return ''
}

/** `XX` is Cloudflare's value for unknown; `T1` (Tor) and other non-countries contain a digit. */
function countryCode(value: string): string {
  const code = value.trim().toUpperCase()
  return /^[A-Z]{2}$/.test(code) && code !== 'XX' && code !== 'ZZ' ? code : ''
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

/** The country from a proxy or an address is a fact; the one from the visitor's time zone is a guess. */
export function resolveCountry(told: string, timezone: string): Country {
  if (told !== '') return { code: told, isApproximate: false }
  const guessed = timezone === '' ? '' : countryOfTimezone(timezone)
  return guessed === '' ? unknownCountry : { code: guessed, isApproximate: true }
}
