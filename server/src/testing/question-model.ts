import type { EventMetric, Filter, FormulaMetric, Metric, Question } from '@assay/contract'
import {
  audiencesOf,
  byTime,
  fitsOf,
  isAboutPeople,
  type ModelPeriod,
  type ModelWorld,
  numberOfValue,
  order,
  ownText,
  propertyOf,
  reaches,
  textOfValue,
  traitOf,
  type Visits,
  zonedAt,
} from './filter-model.ts'
import type { Seen } from './shop-event.ts'

export type { ModelPeriod, ModelWorld } from './filter-model.ts'

/** The answers to questions in plain TypeScript, from the events as a report has to see them. */

type Unit = 'hour' | 'day' | 'week' | 'month'
type Value = number | null
type ModelRow = { dimensions: (string | null)[]; isOther: boolean; metrics: Record<string, Value> }
type ModelAnswer = { rows: ModelRow[]; totals: Record<string, Value>; hasMore: boolean }

/** Where an interval starts in which a moment lies. */
function startOf(ms: number, unit: Unit, timezone: string): number {
  const at = zonedAt(ms, timezone)
  if (unit === 'hour') return at.round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds
  const day = at.startOfDay()
  if (unit === 'day') return day.epochMilliseconds
  const first = unit === 'week' ? day.subtract({ days: day.dayOfWeek - 1 }) : day.with({ day: 1 })
  return first.startOfDay().epochMilliseconds
}

function startsOf({ fromMs, toMs }: ModelPeriod, unit: Unit, timezone: string): number[] {
  const starts = new Set<number>()
  // Half an hour is the least by which zones differ here; no day is shorter than 12 hours.
  const stepMs = unit === 'hour' ? 1_800_000 : 43_200_000
  for (let ms = fromMs; ms < toMs; ms += stepMs) starts.add(startOf(ms, unit, timezone))
  starts.add(startOf(toMs - 1, unit, timezone))
  return [...starts].toSorted((a, b) => a - b)
}

const arrivals = ['channel', 'source', 'utm.campaign']
const ofVisitor = ['country', 'device', 'language']
/** Of the event that says the country, so that all three are one place. */
const ofPlace = ['region', 'city']

/** The value by which an event is grouped: of its visit, where the dimension is about visits. */
function groupText(event: Seen, dimension: string, visits: Visits, world: ModelWorld): string {
  if (dimension.startsWith('trait:')) return textOfValue(traitOf(event, dimension, world))
  const visit = visits.get(event.session) ?? []
  const [first] = visit
  if (arrivals.includes(dimension) && first !== undefined) return ownText(first, dimension, visits)
  if (ofPlace.includes(dimension)) {
    const placed = visit.find(({ country }) => country !== '')
    return placed === undefined ? '' : ownText(placed, dimension, visits)
  }
  if (ofVisitor.includes(dimension)) {
    return visit.map((one) => ownText(one, dimension, visits)).find((text) => text !== '') ?? ''
  }
  return ownText(event, dimension, visits)
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
const conversionOf = (world: ModelWorld) => (event: Seen) =>
  event.name === '$purchase' ||
  event.name === '$signup' ||
  Object.keys(world.goals).some((goal) => reaches(event, goal, world))

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
  const isConversion = conversionOf(world)
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
  { event, goal, math: kind, property = '', where = [] }: EventMetric,
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
    (one) =>
      (event === undefined || one.name === event) &&
      (goal === undefined || reaches(one, goal, world)) &&
      conditions.every((fits) => fits(one)),
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
  /** An event is in the row of each audience of its person. */
  const keysOf = (event: Seen, { visits }: Chosen): string[] => {
    const audiences = names.includes('audience') ? audiencesOf(event, world) : []
    return (audiences.length === 0 ? [''] : audiences).map((audience) =>
      JSON.stringify(
        names.map((name) => (name === 'audience' ? audience : groupText(event, name, visits, world))),
      ),
    )
  }
  const placed = (chosen: Chosen) =>
    chosen.events.flatMap((event) => keysOf(event, chosen).map((key) => ({ key, event })))
  const eventsIn = (list: readonly { event: Seen }[]) => list.map(({ event }) => event)

  const ordering = chosenOf(filters, world, groupsOf)
  const groups = [...Map.groupBy(placed(ordering), ({ key }) => key)].map(([key, own]) => ({
    values: JSON.parse(key) as string[], // boundary: written above.
    key,
    metrics: metricsOf(metrics, eventsIn(own), groupsOf.fromMs, ordering, world, groupsOf),
  }))
  groups.sort((a, b) => compareGroups(question, names, a, b))

  const chosen = chosenOf(filters, world, period)
  const byKey = Map.groupBy(placed(chosen), ({ key }) => key)
  const shown = names.length === 0 ? [{ values: [], key: '[]' }] : groups.slice(0, limit)
  const hasMore = names.length > 0 && groups.length > limit
  const shownKeys = new Set(shown.map(({ key }) => key))
  const rest = eventsIn(placed(chosen).filter(({ key }) => !shownKeys.has(key)))
  const lists = [
    ...shown.map(({ values, key }) => ({ values, isOther: false, own: eventsIn(byKey.get(key) ?? []) })),
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
