import { regionOfCode, regionOfText } from '../../../platform/text/region-names.ts'
import { membersOf, textOf } from '../text.ts'
import { countryCode, countryOfText, countryOfTimezone } from './country.ts'

/** Where a visitor is, all of it from one source. */
export interface Place {
  /** ISO 3166-1 alpha-2 code, or empty. */
  readonly country: string
  /** ISO 3166-2 code such as `DE-BE`, or empty; of the same country. */
  readonly region: string
  /**
   * English name with the code of its region, or of its country where that is unknown: `Springfield (US-IL)`. Many
   * cities share a name, and no number of a city is known to all sources. See decision 0042.
   */
  readonly city: string
}

/** Returns the place of an IP address. The address is used only for this and not stored. */
export type PlaceLookup = (ip: string) => Place

export const nowhereKnown: Place = Object.freeze({ country: '', region: '', city: '' })

/** A country without anything more precise. */
export const countryOnly = (country: string): Place =>
  country === '' ? nowhereKnown : { country, region: '', city: '' }

/** Longer texts are no names of cities; the longest in use has 85. */
const cityCharactersMax = 100

export function placeOf(country: string, region: string, cityName: string): Place {
  const name = textOf(cityName, cityCharactersMax)
    // Some sources name the part of a city behind it: Berlin (Mitte).
    .replace(/\s*\([^()]*\)$/, '')
    .trim()
  return { country, region, city: name === '' ? '' : `${name} (${region === '' ? country : region})` }
}

type HeaderNames = { country: string; region?: string; city?: string }

/** Headers in which content delivery networks send the place of a request. Anyone can send them, too. */
const headerNames: readonly HeaderNames[] = [
  { country: 'cf-ipcountry', region: 'cf-region-code', city: 'cf-ipcity' },
  { country: 'x-vercel-ip-country', region: 'x-vercel-ip-country-region', city: 'x-vercel-ip-city' },
  {
    country: 'cloudfront-viewer-country',
    region: 'cloudfront-viewer-country-region',
    city: 'cloudfront-viewer-city',
  },
  { country: 'x-country-code' },
]

type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Only for operators whose proxy sets these headers and removes foreign ones. Region and city count only next to the
 * country of the same network: headers of another may be a caller's own.
 */
export function placeOfHeaders(headers: Headers): Place {
  const textIn = (name: string | undefined) => {
    const value = name === undefined ? undefined : headers[name]
    return typeof value === 'string' ? value : ''
  }
  for (const names of headerNames) {
    const country = countryCode(textIn(names.country))
    if (country === '') continue
    return placeOf(country, regionOfCode(country, textIn(names.region)), headerText(textIn(names.city)))
  }
  return nowhereKnown
}

/** Names with other letters come percent-encoded, or as the bytes of UTF-8, which Node reads one by one. */
function headerText(value: string): string {
  if (/%[\da-f]{2}/i.test(value)) {
    try {
      return decodeURIComponent(value)
    } catch {
      return ''
    }
  }
  const read = Buffer.from(value, 'latin1').toString('utf8')
  return read.includes('\uFFFD') ? value : read
}

/** What a proxy says goes first; an address that lies in the same country may say more of it. */
export function moreOf(said: Place, lookUp: () => Place): Place {
  if (said.region !== '' || said.city !== '') return said
  const found = lookUp()
  return said.country === '' || said.country === found.country ? found : said
}

/** The place that a back end names for its visitor, in `context.location`: codes or English names. */
export function placeOfLocation(location: unknown): Place {
  const { country, region, city } = membersOf(location)
  const code = countryOfText(textOf(country, cityCharactersMax))
  if (code === '') return nowhereKnown
  const text = textOf(region, cityCharactersMax)
  return placeOf(code, text === '' ? '' : regionOfText(code, text), textOf(city, cityCharactersMax))
}

/** Approximate where only the country is known, by the visitor's time zone. */
export interface Located {
  readonly place: Place
  readonly isApproximate: boolean
}

/** The place from a proxy or an address is a fact; the country of the visitor's time zone is a guess. */
export function locate(place: Place, timezone: string): Located {
  if (place.country !== '') return { place, isApproximate: false }
  const guessed = timezone === '' ? '' : countryOfTimezone(timezone)
  return { place: countryOnly(guessed), isApproximate: guessed !== '' }
}
