import { numberLocale } from '@assay/contract/number-text'
import { regionName } from '../../platform/text/region-names.ts'
import { timeTextOf } from './shown-values.ts'

const countries = new Intl.DisplayNames(numberLocale, { type: 'region', fallback: 'code' })

/** A code that is none of a country is shown as it is. */
export const countryText = (code: string) => (/^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : code)

/** `DE-BY` is “Bavaria, Germany”. */
function regionText(code: string): string {
  const name = regionName(code)
  return name === '' ? code : `${name}, ${countryText(code.slice(0, 2))}`
}

/** `Springfield (US-IL)` is “Springfield, Illinois”; a city that is a region on its own has its country behind it. */
function cityText(value: string): string {
  const parts = /^(.+) \(([A-Z]{2})(-[A-Z\d]{1,3})?\)$/.exec(value)
  if (parts === null) return value
  const [, city = '', country = '', region = ''] = parts
  const code = `${country}${region}`
  const name = region === '' ? '' : regionName(code) || code
  return `${city}, ${name === '' || name === city ? countryText(country) : name}`
}

/** Codes of places in words. */
const placeTexts: ReadonlyMap<string, (value: string) => string> = new Map([
  ['country', countryText],
  ['region', regionText],
  ['city', cityText],
])

/** How values of a dimension are written. */
export function valueTextOf(dimension: string, timezone: string): (value: string) => string {
  if (dimension.startsWith('time:')) return timeOf(dimension, timezone)
  return placeTexts.get(dimension) ?? String
}

function timeOf(dimension: string, timezone: string): (iso: string) => string {
  const unit = dimension === 'time:hour' ? 'hour' : dimension === 'time:month' ? 'month' : 'day'
  return timeTextOf(unit, timezone)
}

/** Those that their name does not say well. */
const dimensionTexts: ReadonlyMap<string, string> = new Map([
  ['title', 'Page title'],
  ['clickId', 'Ad click ID'],
  ['os', 'Operating system'],
  ['screen', 'Screen size'],
  ['sdk', 'SDK'],
  ['surface', 'Platform'],
])

/** `time:day` is a day, `entryPage` an entry page, `utm.source` a UTM source. What someone named stays as it is. */
export function dimensionText(name: string): string {
  if (/^(?:property|trait):/.test(name)) return name.slice(name.indexOf(':') + 1)
  if (name.startsWith('utm.')) return name.replace('utm.', 'UTM ')
  const words = name.replace(/^time:/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return dimensionTexts.get(name) ?? words.charAt(0).toUpperCase() + words.slice(1)
}
