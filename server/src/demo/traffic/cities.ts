import { mix, weighted } from './random.ts'

/** As a back end that knows its visitors names their place. */
export type City = { readonly country: string; readonly region: string; readonly city: string }

type CityShare = { readonly place: City; readonly share: number }

const city = (country: string, region: string, name: string, share: number): CityShare => ({
  place: { country, region, city: name },
  share,
})

/** Cities of each region of `people.ts`, by its time zone; about in proportion to their people. */
const citiesByZone: Readonly<Record<string, readonly CityShare[]>> = {
  'Europe/Berlin': [
    city('DE', 'BE', 'Berlin', 36),
    city('DE', 'HH', 'Hamburg', 18),
    city('DE', 'BY', 'Munich', 15),
    city('DE', 'NW', 'Cologne', 11),
    city('DE', 'HE', 'Frankfurt am Main', 8),
    city('DE', 'BW', 'Stuttgart', 6),
    city('DE', 'SN', 'Leipzig', 6),
  ],
  'America/New_York': [
    city('US', 'NY', 'New York', 55),
    city('US', 'PA', 'Philadelphia', 15),
    city('US', 'MA', 'Boston', 12),
    city('US', 'GA', 'Atlanta', 10),
    city('US', 'FL', 'Miami', 8),
  ],
  'Europe/London': [
    city('GB', 'ENG', 'London', 62),
    city('GB', 'ENG', 'Manchester', 14),
    city('GB', 'SCT', 'Edinburgh', 12),
    city('GB', 'WLS', 'Cardiff', 6),
    city('GB', 'NIR', 'Belfast', 6),
  ],
  'Europe/Paris': [
    city('FR', 'IDF', 'Paris', 58),
    city('FR', 'ARA', 'Lyon', 22),
    city('FR', 'PAC', 'Marseille', 20),
  ],
  'America/Los_Angeles': [
    city('US', 'CA', 'Los Angeles', 48),
    city('US', 'CA', 'San Francisco', 26),
    city('US', 'WA', 'Seattle', 16),
    city('US', 'OR', 'Portland', 10),
  ],
  'Europe/Istanbul': [city('TR', '34', 'Istanbul', 64), city('TR', '06', 'Ankara', 36)],
  'Europe/Amsterdam': [city('NL', 'NH', 'Amsterdam', 54), city('NL', 'ZH', 'Rotterdam', 46)],
  'Europe/Madrid': [city('ES', 'MD', 'Madrid', 60), city('ES', 'CT', 'Barcelona', 40)],
  'Europe/Rome': [city('IT', '62', 'Rome', 60), city('IT', '25', 'Milan', 40)],
  'Europe/Warsaw': [city('PL', '14', 'Warsaw', 68), city('PL', '12', 'Krakow', 32)],
  'America/Toronto': [city('CA', 'ON', 'Toronto', 70), city('CA', 'QC', 'Montreal', 30)],
  'Australia/Sydney': [city('AU', 'NSW', 'Sydney', 1)],
  'Asia/Tokyo': [city('JP', '13', 'Tokyo', 1)],
  'Asia/Kolkata': [city('IN', 'MH', 'Mumbai', 58), city('IN', 'KA', 'Bengaluru', 42)],
}

const pickers = new Map(
  Object.entries(citiesByZone).map(([zone, cities]) => [zone, weighted(cities, ({ share }) => share)]),
)

/** Where a visitor lives: the same at each visit, and without a draw, so that all else stays as it was. */
export function homeOf(timeZone: string, visitorId: number): City {
  const picked = pickers.get(timeZone)
  if (picked === undefined) throw new RangeError(`no cities in ${timeZone}`)
  return picked(mix(visitorId, 11) / 2 ** 32).place
}
