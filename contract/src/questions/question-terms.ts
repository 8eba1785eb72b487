/**
 * Everything that a question can name, once: metrics, maths, dimensions and operators. Readers, shapes, statements,
 * suggestions and documents are derived from these tables.
 */

/** How a figure is to be shown. */
export const metricUnits = ['count', 'number', 'share', 'ms', 'money'] as const
export type MetricUnit = (typeof metricUnits)[number]

type MetricTerm = { unit: MetricUnit; isAdditive: boolean; says: string }

/** Additive ones of rows add up to that of all rows; the others are computed for each group on its own. */
const metricTable = {
  visitors: { unit: 'count', isAdditive: false, says: 'Distinct people' },
  sessions: { unit: 'count', isAdditive: false, says: 'Distinct visits' },
  pageviews: { unit: 'count', isAdditive: true, says: 'Page views that match the filters' },
  events: { unit: 'count', isAdditive: true, says: 'Events that match the filters' },
  viewsPerSession: { unit: 'number', isAdditive: false, says: 'Page views divided by visits' },
  bounceRate: {
    unit: 'share',
    isAdditive: false,
    says: 'Share of visits with a single thing happening in them',
  },
  avgSessionMs: { unit: 'ms', isAdditive: false, says: 'Average length of the visits' },
  conversions: {
    unit: 'count',
    isAdditive: true,
    says: '$purchase, $subscribe, $signup and events that reach a goal; an order counts once',
  },
  conversionRate: { unit: 'share', isAdditive: false, says: 'Share of visits with a conversion' },
  revenue: {
    unit: 'money',
    isAdditive: true,
    says: "$purchase and $subscribe less $refund, in the site's currency",
  },
  averageOrderValue: { unit: 'money', isAdditive: false, says: 'Amount of the average $purchase' },
  newVisitors: {
    unit: 'count',
    isAdditive: false,
    says: 'People whose first event of the site lies in the period, or in the interval of the row',
  },
} as const satisfies Readonly<Record<string, MetricTerm>>

type MathTerm = {
  /** Whether it is computed from a property of the events. */
  needsProperty: boolean
  unit: MetricUnit
  isAdditive: boolean
  says: string
}

const ofProperty = { needsProperty: true, unit: 'number', isAdditive: false } as const

/** What can be computed from the events of one name. */
const mathTable = {
  count: { needsProperty: false, unit: 'count', isAdditive: true, says: 'How many events' },
  people: { needsProperty: false, unit: 'count', isAdditive: false, says: 'Distinct people with one' },
  sessions: { needsProperty: false, unit: 'count', isAdditive: false, says: 'Distinct visits with one' },
  perPerson: { needsProperty: false, unit: 'number', isAdditive: false, says: 'Events for each such person' },
  sum: { ...ofProperty, isAdditive: true, says: 'Sum of a property' },
  avg: { ...ofProperty, says: 'Average of a property' },
  min: { ...ofProperty, says: 'Least value of a property' },
  max: { ...ofProperty, says: 'Greatest value of a property' },
  p50: { ...ofProperty, says: 'Median of a property' },
  p90: { ...ofProperty, says: '90th percentile of a property' },
  p95: { ...ofProperty, says: '95th percentile of a property' },
  p99: { ...ofProperty, says: '99th percentile of a property' },
  distinct: { ...ofProperty, unit: 'count', says: 'Distinct values of a property' },
} as const satisfies Readonly<Record<string, MathTerm>>

/** `text` is compared as text; `path` also with patterns; `code` ignores case; `any` is whatever was sent. */
export const dimensionTypes = ['text', 'path', 'code', 'any'] as const
export type DimensionType = (typeof dimensionTypes)[number]

type DimensionTerm = {
  type: DimensionType
  /**
   * What has the value. A visit has one value, so that its rows contain whole visits; each event has its own, so that
   * a visit can be in several rows.
   */
  of: 'event' | 'visit'
  says: string
}

const dimensionTable = {
  page: { type: 'path', of: 'event', says: 'Path of the page on which an event happened' },
  title: { type: 'text', of: 'event', says: 'Title of that page' },
  hostname: { type: 'text', of: 'event', says: 'Host of that page' },
  entryPage: { type: 'path', of: 'visit', says: 'Path of the first page view of the visit' },
  exitPage: { type: 'path', of: 'visit', says: 'Path of the last page view of the visit' },
  channel: { type: 'text', of: 'visit', says: 'Kind of source: Direct, Organic Search, Email' },
  source: { type: 'text', of: 'visit', says: 'Where the visit came from' },
  referrer: { type: 'text', of: 'visit', says: 'Host of the page that linked to the site' },
  'utm.source': { type: 'text', of: 'visit', says: 'utm_source of the visit' },
  'utm.medium': { type: 'text', of: 'visit', says: 'utm_medium of the visit' },
  'utm.campaign': { type: 'text', of: 'visit', says: 'utm_campaign of the visit' },
  'utm.term': { type: 'text', of: 'visit', says: 'utm_term of the visit' },
  'utm.content': { type: 'text', of: 'visit', says: 'utm_content of the visit' },
  clickId: { type: 'text', of: 'visit', says: 'Kind of the click id of an advertisement, such as gclid' },
  country: { type: 'code', of: 'visit', says: 'ISO 3166 code of the country' },
  region: { type: 'code', of: 'visit', says: 'ISO 3166-2 code of the region: DE-BE' },
  city: { type: 'text', of: 'visit', says: 'City with its region: Springfield (US-IL)' },
  device: { type: 'text', of: 'visit', says: 'desktop, mobile, tablet' },
  browser: { type: 'text', of: 'visit', says: 'Name of the browser' },
  os: { type: 'text', of: 'visit', says: 'Name of the operating system' },
  language: { type: 'text', of: 'visit', says: 'Language of the browser: de, en' },
  screen: { type: 'text', of: 'visit', says: 'Size of the screen: 1920x1080' },
  event: { type: 'text', of: 'event', says: 'Name of the event' },
  release: { type: 'text', of: 'event', says: 'Release of your application' },
  sdk: { type: 'text', of: 'event', says: 'The SDK that sent the event' },
  surface: { type: 'text', of: 'event', says: 'web, ios, android, server' },
  verdict: { type: 'text', of: 'event', says: 'Verdict of the gate: accept or warn' },
} as const satisfies Readonly<Record<string, DimensionTerm>>

/** What follows the name of an operator. */
export const operatorTakes = ['values', 'nothing', 'limit', 'range', 'patterns'] as const
export type OperatorTakes = (typeof operatorTakes)[number]

type OperatorTerm = {
  takes: OperatorTakes
  on: readonly DimensionType[]
  says: string
}

const everyType: readonly DimensionType[] = dimensionTypes
const anyOnly: readonly DimensionType[] = ['any']

const operatorTable = {
  is: { takes: 'values', on: everyType, says: 'Is one of the values' },
  isNot: { takes: 'values', on: everyType, says: 'Is none of the values, or not set' },
  contains: { takes: 'values', on: everyType, says: 'Contains one of the values, in any case' },
  notContains: { takes: 'values', on: everyType, says: 'Contains none of the values, or is not set' },
  startsWith: { takes: 'values', on: everyType, says: 'Starts with one of the values, in any case' },
  matches: { takes: 'patterns', on: everyType, says: 'Some part matches one of the regular expressions' },
  isSet: { takes: 'nothing', on: everyType, says: 'Has a value' },
  isNotSet: { takes: 'nothing', on: everyType, says: 'Has no value' },
  gt: { takes: 'limit', on: anyOnly, says: 'Is more than the value' },
  gte: { takes: 'limit', on: anyOnly, says: 'Is the value or more' },
  lt: { takes: 'limit', on: anyOnly, says: 'Is less than the value' },
  lte: { takes: 'limit', on: anyOnly, says: 'Is the value or less' },
  between: { takes: 'range', on: anyOnly, says: 'Lies between two values, both included' },
} as const satisfies Readonly<Record<string, OperatorTerm>>

export const timeUnits = ['hour', 'day', 'week', 'month'] as const
export type TimeUnit = (typeof timeUnits)[number]

export type MetricName = keyof typeof metricTable
export type MathName = keyof typeof mathTable
export type DimensionName = keyof typeof dimensionTable
export type OperatorName = keyof typeof operatorTable

/** The tables, seen as what their lines have in common. */
export const metricTerms: Readonly<Record<MetricName, MetricTerm>> = metricTable
export const mathTerms: Readonly<Record<MathName, MathTerm>> = mathTable
export const dimensionTerms: Readonly<Record<DimensionName, DimensionTerm>> = dimensionTable
export const operatorTerms: Readonly<Record<OperatorName, OperatorTerm>> = operatorTable

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] =>
  // boundary: the keys of a literal table are its names.
  Object.keys(table) as Name[]

export const metricNames = namesOf(metricTerms)
export const mathNames = namesOf(mathTerms)
export const dimensionNames = namesOf(dimensionTerms)
export const operatorNames = namesOf(operatorTerms)

/** Dimensions with a name of the sender's, and how they are written. */
export const propertyPrefix = 'property:'
export const traitPrefix = 'trait:'
export const timePrefix = 'time:'

/** The one dimension with several values: a person can be in several audiences. */
export const audienceTerm = {
  name: 'audience',
  type: 'text',
  of: 'person',
  says: 'Audience that the person is in; who is in several is in a row of each',
} as const

/** A dimension that was read. The name of a property is that of a member, or a path of members with dots. */
export type Dimension =
  | { kind: 'time'; name: string; unit: TimeUnit }
  | { kind: 'column'; name: DimensionName; type: DimensionType; of: 'event' | 'visit' }
  | { kind: 'property'; name: string; property: string; type: 'any'; of: 'event' }
  | { kind: 'trait'; name: string; trait: string; type: 'any'; of: 'person' }
  | { kind: 'audience'; name: 'audience'; type: 'text'; of: 'person' }

/** Null for what is no dimension. */
export function dimensionOf(name: string): Dimension | null {
  if (name.startsWith(timePrefix)) {
    const unit = timeUnits.find((one) => `${timePrefix}${one}` === name)
    return unit === undefined ? null : { kind: 'time', name, unit }
  }
  if (name.startsWith(propertyPrefix)) {
    const property = name.slice(propertyPrefix.length)
    return property === '' ? null : { kind: 'property', name, property, type: 'any', of: 'event' }
  }
  if (name.startsWith(traitPrefix)) {
    const trait = name.slice(traitPrefix.length)
    return trait === '' ? null : { kind: 'trait', name, trait, type: 'any', of: 'person' }
  }
  const { name: audience, type: audienceType, of: ofPerson } = audienceTerm
  if (name === audience) return { kind: 'audience', name: audience, type: audienceType, of: ofPerson }
  const column = dimensionNames.find((one) => one === name)
  if (column === undefined) return null
  const { type, of } = dimensionTerms[column]
  return { kind: 'column', name: column, type, of }
}

/** For a message: every way to write a dimension. */
export const knownDimensions = [
  ...timeUnits.map((unit) => `${timePrefix}${unit}`),
  ...dimensionNames,
  audienceTerm.name,
  `${propertyPrefix}<name>`,
  `${traitPrefix}<name>`,
]
