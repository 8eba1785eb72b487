import type { EventMetric, Filter, FilterValue, FormulaMetric, Metric, Question } from '@assay/contract'
import { Temporal } from 'temporal-polyfill'
import type { Seen } from './shop-model.ts'

/** The answers to questions in plain TypeScript, from the events as a report has to see them. */

export type ModelWorld = {
  /** All events of the site that count, in the order of time. */
  events: readonly Seen[]
  /** People of audiences, by id. */
  audiences: Readonly<Record<string, ReadonlySet<string>>>
  timezone: string
  dollarRate: number | null
}

export type ModelPeriod = { fromMs: number; toMs: number }

type Unit = 'hour' | 'day' | 'week' | 'month'
type Value = number | null
export type ModelRow = { dimensions: (string | null)[]; isOther: boolean; metrics: Record<string, Value> }
export type ModelAnswer = { rows: ModelRow[]; totals: Record<string, Value>; hasMore: boolean }

const zonedAt = (ms: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone)

/** Where an interval starts in which a moment lies. */
export function startOf(ms: number, unit: Unit, timezone: string): number {
  const at = zonedAt(ms, timezone)
  if (unit === 'hour') return at.round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds
  const day = at.startOfDay()
  if (unit === 'day') return day.epochMilliseconds
  const first = unit === 'week' ? day.subtract({ days: day.dayOfWeek - 1 }) : day.with({ day: 1 })
  return first.startOfDay().epochMilliseconds
}

export function startsOf({ fromMs, toMs }: ModelPeriod, unit: Unit, timezone: string): number[] {
  const starts = new Set<number>()
  // Half an hour is the least by which zones differ here; no day is shorter than 12 hours.
  const stepMs = unit === 'hour' ? 1_800_000 : 43_200_000
  for (let ms = fromMs; ms < toMs; ms += stepMs) starts.add(startOf(ms, unit, timezone))
  starts.add(startOf(toMs - 1, unit, timezone))
  return [...starts].toSorted((a, b) => a - b)
}

const windowStart = (window: string, endMs: number, timezone: string) => {
  const count = Number.parseInt(window, 10)
  if (window.endsWith('h')) return endMs - count * 3_600_000
  return zonedAt(endMs - 1, timezone)
    .startOfDay()
    .subtract({ days: count - 1 })
    .startOfDay().epochMilliseconds
}

const byTime = (a: Seen, b: Seen) => a.ms - b.ms || (a.id < b.id ? -1 : 1)

function propertyOf({ properties }: Seen, name: string): unknown {
  return name in properties
    ? properties[name]
    : name.split('.').reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), properties)
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
const textOfValue = (value: unknown) =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
const numberOfValue = (value: unknown): Value => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : null
}

type Visits = ReadonlyMap<string, readonly Seen[]>

const pages = (visit: readonly Seen[]) => visit.filter(({ name }) => name === '$pageview')

/** The value of an event itself. */
function ownText(event: Seen, dimension: string, visits: Visits): string {
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
    device: event.device,
    language: event.language,
    event: event.name,
    entryPage: pages(visit)[0]?.path ?? '',
    exitPage: pages(visit).at(-1)?.path ?? '',
  }
  return own[dimension] ?? ''
}

const arrivals = ['channel', 'source', 'utm.campaign']
const ofVisitor = ['country', 'device', 'language']

/** The value by which an event is grouped: of its visit, where the dimension is about visits. */
function groupText(event: Seen, dimension: string, visits: Visits): string {
  const visit = visits.get(event.session) ?? []
  const [first] = visit
  if (arrivals.includes(dimension) && first !== undefined) return ownText(first, dimension, visits)
  if (ofVisitor.includes(dimension)) {
    return visit.map((one) => ownText(one, dimension, visits)).find((text) => text !== '') ?? ''
  }
  return ownText(event, dimension, visits)
}

const order = (a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0)

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
    if (dimension.startsWith('property:') && number !== null && numberOfValue(one) === number) return true
    return text === (dimension === 'country' ? String(one).toUpperCase() : String(one))
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

function fitsOf(filter: Filter, world: ModelWorld, period: ModelPeriod, visits: Visits): Fits {
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
  if (word === 'did' || word === 'didNot') {
    const people = peopleWho(filter[1], world, period)
    return ({ person }) => people(person) === (word === 'did')
  }
  const [op, name, given = []] = filter
  const dimension = String(name)
  const wanted: readonly FilterValue[] = Array.isArray(given) ? given : [given]
  return (event) => {
    const value = dimension.startsWith('property:') ? propertyOf(event, dimension.slice(9)) : undefined
    return compares(op, ownText(event, dimension, visits), value, wanted, dimension)
  }
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

function isAboutPeople(filter: Filter): boolean {
  const [word] = filter
  if (word === 'and' || word === 'or') return filter[1].every(isAboutPeople)
  if (word === 'not') return isAboutPeople(filter[1])
  return word === 'did' || word === 'didNot' || word === 'inAudience'
}

/** The events of the chosen visits, and which of them match themselves. */
function chosenOf(filters: readonly Filter[], world: ModelWorld, period: ModelPeriod) {
  const inPeriod = world.events.filter(({ ms }) => ms >= period.fromMs && ms < period.toMs).toSorted(byTime)
  const everyVisit = Map.groupBy(inPeriod, ({ session }) => session)
  const fits = (list: readonly Filter[]) => {
    const all = list.map((filter) => fitsOf(filter, world, period, everyVisit))
    return (event: Seen) => all.every((one) => one(event))
  }
  const isTheirs = fits(filters.filter(isAboutPeople))
  const matches = fits(filters.filter((filter) => !isAboutPeople(filter)))
  const theirs = inPeriod.filter(isTheirs)
  const sessions = new Set(theirs.filter(matches).map(({ session }) => session))
  const events = theirs.filter(({ session }) => sessions.has(session))
  const named = filters.find(([word, dimension]) => word === 'is' && dimension === 'event')
  // A filter for other events leaves no page views to count.
  const hasViews = named === undefined || JSON.stringify(named).includes('"$pageview"')
  return { events, matches, hasViews, visits: Map.groupBy(events, ({ session }) => session) }
}

type Chosen = ReturnType<typeof chosenOf>

const distinct = (values: readonly unknown[]) => new Set(values).size
const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0)
const ratio = (part: number, whole: number): Value => (whole === 0 ? null : part / whole)
const isConversion = ({ name }: Seen) => name === '$purchase' || name === '$signup'

/** An amount in euros, to the ten-thousandth; null without a rate. */
function inEuros({ amount, currency }: Seen, { dollarRate }: ModelWorld): Value {
  if (currency === 'EUR') return amount
  return dollarRate === null ? null : Math.round(amount * dollarRate * 10_000) / 10_000
}

function standard(
  name: string,
  own: readonly Seen[],
  sinceMs: number,
  chosen: Chosen,
  world: ModelWorld,
): Value {
  const sessions = [...new Set(own.map(({ session }) => session))]
  const visits = sessions.map((session) => chosen.visits.get(session) ?? [])
  const matching = own.filter(chosen.matches)
  const views = matching.filter((event) => event.name === '$pageview').length
  const paid = own
    .filter((event) => event.name === '$purchase')
    .flatMap((event) => inEuros(event, world) ?? [])
  const lengths = visits.map((visit) => (visit.at(-1)?.ms ?? 0) - (visit[0]?.ms ?? 0))
  const isNew = ({ person }: Seen) => (firstMs(world).get(person) ?? 0) >= sinceMs
  const figures: Record<string, Value> = {
    visitors: distinct(own.map(({ person }) => person)),
    sessions: sessions.length,
    pageviews: chosen.hasViews ? views : null,
    events: matching.length,
    viewsPerSession: chosen.hasViews ? ratio(views, sessions.length) : null,
    bounceRate: ratio(visits.filter(({ length }) => length === 1).length, sessions.length),
    avgSessionMs: ratio(sum(lengths), sessions.length),
    conversions: own.filter(isConversion).length,
    conversionRate: ratio(visits.filter((visit) => visit.some(isConversion)).length, sessions.length),
    revenue: sum(paid),
    averageOrderValue: ratio(sum(paid), paid.length),
    newVisitors: distinct(own.filter(isNew).map(({ person }) => person)),
  }
  return figures[name] ?? null
}

/** Of one world after the other. */
const firstTimes = new WeakMap<readonly Seen[], Map<string, number>>()

function firstMs({ events }: ModelWorld): Map<string, number> {
  const known = firstTimes.get(events)
  if (known !== undefined) return known
  const first = new Map<string, number>()
  for (const { person, ms } of events) first.set(person, Math.min(ms, first.get(person) ?? ms))
  firstTimes.set(events, first)
  return first
}

/** The value at a share of the sorted values, between two of them where it lies between. */
function quantile(values: readonly number[], level: number): Value {
  if (values.length === 0) return null
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * level
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0]
  return low + (high - low) * (place - Math.floor(place))
}

function math(
  { event, math: kind, property = '', where = [] }: EventMetric,
  events: readonly Seen[],
  world: ModelWorld,
  period: ModelPeriod,
): Value {
  if (events.length === 0 && where.length > 0)
    return math({ as: '', math: kind, property }, [], world, period)
  const inPeriod = world.events.filter(({ ms }) => ms >= period.fromMs && ms < period.toMs).toSorted(byTime)
  const everyVisit = Map.groupBy(inPeriod, ({ session }) => session)
  const conditions = where.map((filter) => fitsOf(filter, world, period, everyVisit))
  const own = events.filter(
    (one) => (event === undefined || one.name === event) && conditions.every((fits) => fits(one)),
  )
  const values = own.flatMap((one) => {
    if (property === 'amount' && one.name === '$purchase') return inEuros(one, world) ?? []
    return numberOfValue(propertyOf(one, property)) ?? []
  })
  const people = distinct(own.map(({ person }) => person))
  const figures: Record<string, Value> = {
    count: own.length,
    people,
    sessions: distinct(own.map(({ session }) => session)),
    perPerson: ratio(own.length, people),
    sum: sum(values),
    avg: ratio(sum(values), values.length),
    min: values.length === 0 ? null : Math.min(...values),
    max: values.length === 0 ? null : Math.max(...values),
    p50: quantile(values, 0.5),
    p90: quantile(values, 0.9),
    p95: quantile(values, 0.95),
    p99: quantile(values, 0.99),
    distinct: distinct(
      own.map((one) => textOfValue(propertyOf(one, property))).filter((text) => text !== ''),
    ),
  }
  return figures[kind] ?? null
}

const isFormula = (metric: Metric): metric is FormulaMetric =>
  typeof metric === 'object' && 'formula' in metric

function metricsOf(
  metrics: readonly Metric[],
  own: readonly Seen[],
  sinceMs: number,
  chosen: Chosen,
  world: ModelWorld,
  period: ModelPeriod,
): Record<string, Value> {
  const figures: Record<string, Value> = {}
  for (const metric of metrics) {
    if (typeof metric === 'string') figures[metric] = standard(metric, own, sinceMs, chosen, world)
    else if (isFormula(metric)) figures[metric.as] = formula(metric.formula, figures)
    else figures[metric.as] = math(metric, own, world, period)
  }
  return figures
}

/** Formulas of the tests are JavaScript, too. */
function formula(text: string, figures: Readonly<Record<string, Value>>): Value {
  const names = Object.keys(figures)
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(text))
  if (used.some((name) => figures[name] === null)) return null
  const result: unknown = new Function(...used, `return ${text}`)(...used.map((name) => figures[name]))
  return typeof result === 'number' && Number.isFinite(result) ? result : null
}

type ModelGroup = { values: readonly string[]; metrics: Readonly<Record<string, Value>> }

/** Null is last in either direction; equal groups are in the order of their values. */
function compareGroups(
  { metrics, orderBy = [] }: Question,
  names: readonly string[],
  a: ModelGroup,
  b: ModelGroup,
): number {
  const [first] = metrics
  const firstName = typeof first === 'object' ? first.as : (first ?? '')
  for (const [name, direction] of orderBy.length > 0 ? orderBy : [[firstName, 'desc'] as const]) {
    const sign = direction === 'desc' ? -1 : 1
    const at = names.indexOf(name)
    const [x = null, y = null] =
      at >= 0 ? [a.values[at] ?? '', b.values[at] ?? ''] : [a.metrics[name], b.metrics[name]]
    if (x === null || y === null) {
      if (x !== y) return x === null ? 1 : -1
    } else if (typeof x === 'string' || Math.abs(x - Number(y)) > 1e-9) {
      const by = order(x, y)
      if (by !== 0) return by * sign
    }
  }
  return names.reduce((by, _, at) => by || order(a.values[at] ?? '', b.values[at] ?? ''), 0)
}

/** What the figures of one period are, for groups that may come from another. */
export function modelAnswer(
  question: Question,
  world: ModelWorld,
  period: ModelPeriod,
  groupsOf: ModelPeriod = period,
): ModelAnswer {
  const { dimensions = [], filters = [], metrics, limit = 20, other = false } = question
  // boundary: the names of dimensions of time end with a unit.
  const unit = dimensions.find((name) => name.startsWith('time:'))?.slice(5) as Unit | undefined
  const names = dimensions.filter((name) => !name.startsWith('time:'))
  const keyOf = (event: Seen, { visits }: Chosen) =>
    JSON.stringify(names.map((name) => groupText(event, name, visits)))

  const ordering = chosenOf(filters, world, groupsOf)
  const groups = [...Map.groupBy(ordering.events, (event) => keyOf(event, ordering))].map(([key, own]) => ({
    values: JSON.parse(key) as string[], // boundary: written above.
    key,
    metrics: metricsOf(metrics, own, groupsOf.fromMs, ordering, world, groupsOf),
  }))
  groups.sort((a, b) => compareGroups(question, names, a, b))

  const chosen = chosenOf(filters, world, period)
  const byKey = Map.groupBy(chosen.events, (event) => keyOf(event, chosen))
  const shown = names.length === 0 ? [{ values: [], key: '[]' }] : groups.slice(0, limit)
  const hasMore = names.length > 0 && groups.length > limit
  const shownKeys = new Set(shown.map(({ key }) => key))
  const rest = chosen.events.filter((event) => !shownKeys.has(keyOf(event, chosen)))
  const lists = [
    ...shown.map(({ values, key }) => ({ values, isOther: false, own: byKey.get(key) ?? [] })),
    ...(hasMore && other ? [{ values: [], isOther: true, own: rest }] : []),
  ]
  const starts = unit === undefined ? [period.fromMs] : startsOf(period, unit, world.timezone)
  const bucketOf = new Map(
    chosen.events.map(({ id, ms }) => [id, unit === undefined ? 0 : startOf(ms, unit, world.timezone)]),
  )
  const rows = lists.flatMap(({ values, isOther, own }) =>
    starts.map((start, point): ModelRow => {
      const span = question.cumulative === true ? point + 1 : (question.rolling ?? 1)
      const covered = new Set(starts.slice(Math.max(0, point - span + 1), point + 1))
      const inside = unit === undefined ? own : own.filter(({ id }) => covered.has(bucketOf.get(id) ?? 0))
      const sinceMs = question.cumulative === true ? period.fromMs : Math.max(start, period.fromMs)
      let next = 0
      return {
        dimensions: dimensions.map((name) => {
          if (name.startsWith('time:')) return new Date(start).toISOString()
          const value = values[next] ?? ''
          next += 1
          return value === '' ? null : value
        }),
        isOther,
        metrics: metricsOf(metrics, inside, sinceMs, chosen, world, period),
      }
    }),
  )
  const totals = metricsOf(metrics, chosen.events, period.fromMs, chosen, world, period)
  return { rows, totals, hasMore }
}
