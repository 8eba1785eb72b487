import { regionName } from './region-names.ts'

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

/** A code that is none of a country is shown as it is. */
export const countryText = (code: string): string =>
  /^[A-Z]{2}$/.test(code) ? (regions.of(code) ?? code) : code

const regionText = (code: string) => `${regionName(code) || code}, ${countryText(code.slice(0, 2))}`

/** `Springfield (US-IL)` is “Springfield, Illinois”; a city that is a region on its own has its country behind it. */
function cityText(value: string): string {
  const [, city = '', country = '', region = ''] = /^(.+) \(([A-Z]{2})(-[A-Z\d]{1,3})?\)$/.exec(value) ?? []
  if (city === '') return value
  const name = region === '' ? '' : regionName(country + region) || country + region
  return `${city}, ${name === '' || name === city ? countryText(country) : name}`
}

const valueTexts: Readonly<Record<string, (value: string) => string>> = {
  country: countryText,
  region: regionText,
  city: cityText,
}

/** A value of a dimension as people read it: places by their names, everything else as it is. */
export const valueText = (dimension: string, value: string): string => valueTexts[dimension]?.(value) ?? value

const dimensionTexts: Readonly<Record<string, string>> = {
  os: 'Operating system',
  sdk: 'SDK',
  clickId: 'Ad click ID',
  screen: 'Screen size',
  title: 'Page title',
}

/** `time:day` is a day, `entryPage` an entry page, `utm.campaign` a UTM campaign. */
export function dimensionText(name: string): string {
  const known = dimensionTexts[name]
  if (known !== undefined) return known
  // Properties and traits are named by those who send them.
  if (/^(?:property|trait):/.test(name)) return name.slice(name.indexOf(':') + 1)
  const words = name
    .replace(/^time:/, '')
    .replace(/^utm\./, 'UTM ')
    .replace(/[a-z][A-Z]/g, ([small = '', large = '']) => `${small} ${large.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
