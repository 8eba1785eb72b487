import type { Filter, FilterValue } from '@assay/contract'
import { Temporal } from 'temporal-polyfill'
import type { Seen } from './shop-event.ts'

/** What filters mean, in plain TypeScript. */

type Value = number | null

export type ModelWorld = {
  /** All events of the site that count, in the order of time. */
  events: readonly Seen[]
  /** People of audiences, by id and by name. */
  audiences: Readonly<Record<string, ReadonlySet<string>>>
  audienceNames: Readonly<Record<string, ReadonlySet<string>>>
  /** What is known of people. */
  traits: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** What an event has to fit to reach a goal, by id. */
  goals: Readonly<Record<string, readonly Filter[]>>
  timezone: string
  dollarRate: number | null
}

export type ModelPeriod = { fromMs: number; toMs: number }

export const zonedAt = (ms: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone)

const windowStart = (window: string, endMs: number, timezone: string) => {
  const count = Number.parseInt(window, 10)
  if (window.endsWith('h')) return endMs - count * 3_600_000
  return zonedAt(endMs - 1, timezone)
    .startOfDay()
    .subtract({ days: count - 1 })
    .startOfDay().epochMilliseconds
}

export const byTime = (a: Seen, b: Seen) => a.ms - b.ms || (a.id < b.id ? -1 : 1)

export function propertyOf({ properties }: Seen, name: string): unknown {
  return name in properties
    ? properties[name]
    : name.split('.').reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), properties)
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
export const textOfValue = (value: unknown) =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
export const numberOfValue = (value: unknown): Value => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : null
}

export type Visits = ReadonlyMap<string, readonly Seen[]>

const pages = (visit: readonly Seen[]) => visit.filter(({ name }) => name === '$pageview')

/** The value of an event itself. */
export function ownText(event: Seen, dimension: string, visits: Visits): string {
  if (dimension.startsWith('property:')) return textOfValue(propertyOf(event, dimension.slice(9)))
  const visit = visits.get(event.session) ?? []
  const own: Record<string, string> = {
    page: event.path,
    title: event.title,
    hostname: event.host,
    channel: event.channel,
    source: event.source,
    'utm.campaign': event.campaign,
    country: event.country,
    region: event.region,
    city: event.city,
    device: event.device,
    language: event.language,
    event: event.name,
    entryPage: pages(visit)[0]?.path ?? '',
    exitPage: pages(visit).at(-1)?.path ?? '',
  }
  return own[dimension] ?? ''
}

/** Something that is known of the person of an event. */
export function traitOf({ person }: Seen, dimension: string, { traits }: ModelWorld): unknown {
  return traits[person]?.[dimension.slice('trait:'.length)]
}

/** Names of the audiences of which the person of an event is. */
export function audiencesOf({ person }: Seen, { audienceNames }: ModelWorld): string[] {
  return Object.keys(audienceNames)
    .filter((name) => audienceNames[name]?.has(person))
    .sort()
}

const negations: Readonly<Record<string, string>> = {
  isNot: 'is',
  notContains: 'contains',
  isNotSet: 'isSet',
}

export const order = (a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0)

function compares(
  op: string,
  text: string,
  value: unknown,
  wanted: readonly FilterValue[],
  dimension: string,
): boolean {
  const lower = text.toLowerCase()
  const part = (one: FilterValue) => String(one).toLowerCase()
  const isSame = (one: FilterValue) => {
    if (String(one).includes('/:id')) return /^\/product\/[^/]+$/.test(text)
    const number = numberOfValue(value)
    const isAny = dimension.startsWith('property:') || dimension.startsWith('trait:')
    if (isAny && number !== null && numberOfValue(one) === number) return true
    return (
      text === (dimension === 'country' || dimension === 'region' ? String(one).toUpperCase() : String(one))
    )
  }
  const limit = (sign: string, one: FilterValue | undefined): boolean => {
    const bound = numberOfValue(one)
    const number = numberOfValue(value)
    if (bound === null && (typeof value !== 'string' || value === '')) return false
    if (bound !== null && number === null) return false
    const by = bound === null ? order(text, String(one)) : order(number ?? 0, bound)
    return { gt: by > 0, gte: by >= 0, lt: by < 0, lte: by <= 0 }[sign] ?? false
  }
  switch (op) {
    case 'is':
      return wanted.some(isSame)
    case 'isNot':
      return !wanted.some(isSame)
    case 'contains':
      return wanted.some((one) => lower.includes(part(one)))
    case 'notContains':
      return !wanted.some((one) => lower.includes(part(one)))
    case 'startsWith':
      return wanted.some((one) => lower.startsWith(part(one)))
    case 'matches':
      return text !== '' && wanted.some((one) => new RegExp(String(one)).test(text))
    case 'isSet':
      return text !== ''
    case 'isNotSet':
      return text === ''
    case 'between':
      return limit('gte', wanted[0]) && limit('lte', wanted[1])
    default:
      return limit(op, wanted[0])
  }
}

type Fits = (event: Seen) => boolean

export function fitsOf(filter: Filter, world: ModelWorld, period: ModelPeriod, visits: Visits): Fits {
  const inner = (one: Filter) => fitsOf(one, world, period, visits)
  const [word] = filter
  if (word === 'and' || word === 'or') {
    const parts = filter[1].map(inner)
    return (event) =>
      word === 'and' ? parts.every((fits) => fits(event)) : parts.some((fits) => fits(event))
  }
  if (word === 'not') {
    const part = inner(filter[1])
    return (event) => !part(event)
  }
  if (word === 'inAudience') return ({ person }) => filter[1].some((id) => world.audiences[id]?.has(person))
  if (word === 'reached') return (event) => filter[1].some((id) => reaches(event, id, world))
  if (word === 'did' || word === 'didNot') {
    const people = peopleWho(filter[1], world, period)
    return ({ person }) => people(person) === (word === 'did')
  }
  const [op, name, given = []] = filter
  const dimension = String(name)
  const wanted: readonly FilterValue[] = Array.isArray(given) ? given : [given]
  if (dimension === 'audience') {
    const isInOne = (event: Seen) =>
      audiencesOf(event, world).some((name) => compares(negations[op] ?? op, name, name, wanted, dimension))
    return (event) => isInOne(event) === (negations[op] === undefined)
  }
  return (event) => {
    if (dimension.startsWith('trait:')) {
      const trait = traitOf(event, dimension, world)
      return compares(op, textOfValue(trait), trait, wanted, dimension)
    }
    const value = dimension.startsWith('property:') ? propertyOf(event, dimension.slice(9)) : undefined
    return compares(op, ownText(event, dimension, visits), value, wanted, dimension)
  }
}

/** Goals are about single events, whatever their visits and the period are. */
export function reaches(event: Seen, goal: string, world: ModelWorld): boolean {
  const filters = world.goals[goal] ?? []
  return filters.every((filter) => fitsOf(filter, world, { fromMs: 0, toMs: 0 }, new Map())(event))
}

function peopleWho(
  { event, count = { op: 'gte', value: 1 }, within, where = [] }: Extract<Filter[1], { event: string }>,
  world: ModelWorld,
  { fromMs, toMs }: ModelPeriod,
): (person: string) => boolean {
  const start = within === undefined ? fromMs : windowStart(within, toMs, world.timezone)
  const range = { fromMs: start, toMs }
  const inRange = world.events.filter(({ ms }) => ms >= start && ms < toMs)
  const visits = Map.groupBy(inRange.toSorted(byTime), ({ session }) => session)
  const conditions = where.map((one) => fitsOf(one, world, range, visits))
  const done = inRange.filter((one) => one.name === event && conditions.every((fits) => fits(one)))
  const times = Map.groupBy(done, ({ person }) => person)
  return (person) => {
    const found = times.get(person)?.length ?? 0
    if (count.op === 'eq') return found === count.value
    return count.op === 'gte' ? found >= count.value : found <= count.value
  }
}

export function isAboutPeople(filter: Filter): boolean {
  const [word] = filter
  if (word === 'and' || word === 'or') return filter[1].every(isAboutPeople)
  if (word === 'not') return isAboutPeople(filter[1])
  const [, name] = filter
  if (name === 'audience' || (typeof name === 'string' && name.startsWith('trait:'))) return true
  return word === 'did' || word === 'didNot' || word === 'inAudience'
}

const nowhere: ModelWorld = {
  events: [],
  audiences: {},
  audienceNames: {},
  traits: {},
  goals: {},
  timezone: 'UTC',
  dollarRate: null,
}

/** Whether an event fits filters that are about single events, as JSON. */
export function eventFits(event: Seen, filters: string): boolean {
  // boundary: written by the tests.
  const list = JSON.parse(filters) as Filter[]
  return list.every((filter) => fitsOf(filter, nowhere, { fromMs: 0, toMs: 0 }, new Map())(event))
}
