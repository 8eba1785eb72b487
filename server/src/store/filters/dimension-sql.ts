import type { DimensionName } from '@assay/contract'
import type { Binder } from './binder.ts'

/** A dimension without the two that only a whole visit has. */
export type RowDimension = Exclude<DimensionName, 'entryPage' | 'exitPage'>

const locale = "replaceAll(JSONExtractString(context, 'locale'), '_', '-')"
const screenSide = (side: 'width' | 'height') => `JSONExtractInt(context, 'screen', '${side}')`

/** The value of an event, as text; '' where it has none. */
const columns: Readonly<Record<RowDimension, string>> = {
  page: 'path',
  title: 'title',
  hostname: 'toString(host)',
  channel: 'toString(channel)',
  source: 'toString(source)',
  referrer: 'toString(referrer_host)',
  'utm.source': 'toString(utm_source)',
  'utm.medium': 'toString(utm_medium)',
  'utm.campaign': 'toString(utm_campaign)',
  'utm.term': 'utm_term',
  'utm.content': 'utm_content',
  clickId: 'toString(click_id_type)',
  country: 'toString(country)',
  region: 'toString(region)',
  city: 'toString(city)',
  device: 'toString(device)',
  browser: 'toString(browser)',
  os: 'toString(os)',
  language: `lower(splitByChar('-', ${locale})[1])`,
  screen: `if(${screenSide('width')} > 0 AND ${screenSide('height')} > 0,
        concat(toString(${screenSide('width')}), 'x', toString(${screenSide('height')})), '')`,
  event: 'toString(name)',
  release: 'toString(release)',
  sdk: 'toString(sdk)',
  surface: 'toString(surface)',
  verdict: 'toString(outcome)',
}

export function columnSql(name: RowDimension): string {
  return columns[name]
}

/** Properties are at most this deep. */
const pathPartsMax = 6

/** A property as SQL: texts as they are and everything else as JSON; '' where it is absent or null. */
type PropertySql = {
  text: string
  /** A number, or a text that is one; NULL for everything else. */
  number: string
  /** Whether its value fits a condition, which names the value as in `inside`. */
  fits: (condition: string) => string
}

/** The value is taken out of the event once, and named `raw`: long statements take the store long to read. */
const text = `multiIf(startsWith(raw, '"'), JSONExtractString(raw), raw = 'null', '', raw)`
const numberIn = (value: string) => `toFloat64OrNull(extract(${value}, '^-?[0-9].*'))`
const number = numberIn(text)
export const inside = { text, number, isText: `startsWith(raw, '"')` }

export function propertySql(property: string, binder: Binder, column = 'properties'): PropertySql {
  const raw = rawSql(property, binder, column)
  return {
    text: `arrayMap(raw -> ${text}, [${raw}])[1]`,
    number: `arrayMap(raw -> ${number}, [${raw}])[1]`,
    fits: (condition) => `arrayExists(raw -> ${condition}, [${raw}])`,
  }
}

/** As JSON. A name is that of a member, or else a path of members. */
function rawSql(property: string, { bind }: Binder, column: string): string {
  const name = bind('String', property)
  const whole = `JSONExtractRaw(${column}, ${name})`
  const parts = property.split('.')
  if (parts.length === 1 || parts.length > pathPartsMax) return whole
  const path = parts.map((part) => bind('String', part)).join(', ')
  return `if(JSONHas(${column}, ${name}), ${whole}, JSONExtractRaw(${column}, ${path}))`
}

/** The value of a trait, as a row of a set of people has it. */
export const ofSet = { text: 'value', number: numberIn('value'), isText: 'is_text', type: 'any' } as const
