import { isRecord } from '../gate/raw-event.ts'
import { eventNameCharactersMax, propertyNameCharactersMax, siteIdCharactersMax } from '../maxima.ts'
import { printedText } from '../printed-text.ts'
import type { FieldError } from '../problems.ts'
import {
  type Condition,
  isName,
  newFilterBudget,
  type Refuse,
  readEventFilters,
  readFilterList,
  requireMembers,
  takeTrait,
  unknownDimension,
  wrongMembers,
} from './question-filters.ts'
import { type Formula, namesIn, parseFormula } from './question-formula.ts'
import {
  type Dimension,
  dimensionOf,
  type MathName,
  type MetricName,
  mathNames,
  mathTerms,
  metricNames,
} from './question-terms.ts'
import {
  dimensionsMax,
  formulaCharactersMax,
  groupsDefault,
  groupsMax,
  metricsMax,
  orderByMax,
  questionMembers,
  rollingPointsMax,
} from './questions.ts'

/** A metric that was found sound, with the name under which the answer has it. */
export type ReadMetric =
  | { kind: 'metric'; name: MetricName }
  | {
      kind: 'math'
      name: string
      /** Null: any event. */
      event: string | null
      /** Null: of events as named. */
      goal: string | null
      math: MathName
      /** '' where the math needs none. */
      property: string
      where: readonly Condition[]
    }
  | { kind: 'formula'; name: string; formula: Formula }

export type QuestionPeriod = {
  from?: string | undefined
  to?: string | undefined
  window?: string | undefined
}

export type ReadOrder = { by: 'metric' | 'dimension'; index: number; isDescending: boolean }

/** A question that was found sound. What only the store knows (sites, audiences) is not checked yet. */
export type ReadQuestion = {
  siteId: string
  period: QuestionPeriod
  timezone: string | undefined
  compare: 'previous' | 'year' | QuestionPeriod | null
  metrics: readonly ReadMetric[]
  /** As asked; at most one is of time. */
  dimensions: readonly Dimension[]
  filters: readonly Condition[]
  orderBy: readonly ReadOrder[]
  /** Groups of values; a group has a row for each interval of time. */
  limit: number
  hasOther: boolean
  /** Points of time that each row covers, with its own as the last; null: its own alone. */
  rolling: number | 'all' | null
  includeBots: boolean
}

/** Reads any JSON. Says all that is wrong at once, each with its place and with what is known there. */
export function readQuestion(value: unknown): ReadQuestion {
  const errors: FieldError[] = []
  const question = questionOf(value, (field, message) => errors.push({ field, message }))
  if (errors.length > 0) throw wrongMembers(errors)
  return question
}

function questionOf(value: unknown, refuse: Refuse): ReadQuestion {
  const given = isRecord(value) ? value : {}
  if (!isRecord(value)) refuse('question', 'must be a JSON object')
  requireMembers(given, questionMembers, '', refuse)
  const budget = newFilterBudget()
  const metrics = readMetrics(given.metrics, refuse, budget)
  const dimensions = readDimensions(given.dimensions ?? [], refuse, budget)
  const hasTime = dimensions.some(({ kind }) => kind === 'time')
  if (!isName(given.siteId, siteIdCharactersMax)) refuse('siteId', 'must be the id of a site')
  return {
    siteId: printedText(given.siteId),
    period: readPeriodMembers(given, '', refuse),
    timezone: readOptionalText(given.timezone, 'timezone', 64, refuse),
    compare: readCompare(given.compare, refuse),
    metrics,
    dimensions,
    filters: readFilterList(given.filters ?? [], 'filters', refuse, budget),
    orderBy: readOrder(given.orderBy ?? [], metrics, dimensions, refuse),
    limit: readWhole(given.limit, 'limit', groupsMax, refuse) ?? groupsDefault,
    hasOther: readFlag(given.other, 'other', refuse),
    rolling: readRolling(given, hasTime, metrics, refuse),
    includeBots: readFlag(given.includeBots, 'includeBots', refuse),
  }
}

const periodNames = ['from', 'to', 'window'] as const

function readPeriodMembers(given: Record<string, unknown>, at: string, refuse: Refuse): QuestionPeriod {
  const [from, to, window] = periodNames.map((name) => readOptionalText(given[name], at + name, 40, refuse))
  if (window !== undefined && !/^[1-9][0-9]{0,2}[hd]$/.test(window)) {
    refuse(`${at}window`, 'must be days or hours such as 30d or 24h')
  }
  return { from, to, window }
}

function readCompare(value: unknown, refuse: Refuse): ReadQuestion['compare'] {
  if (value === undefined || value === null) return null
  if (value === 'previous' || value === 'year') return value
  if (!isRecord(value)) {
    refuse('compare', 'must be "previous", "year" or a period: {"from": "2026-01-01", "to": "2026-01-31"}')
    return null
  }
  requireMembers(value, ['from', 'to'], 'compare', refuse)
  const period = readPeriodMembers({ from: value.from, to: value.to }, 'compare.', refuse)
  if (period.from === undefined) refuse('compare.from', 'is missing')
  if (period.to === undefined) refuse('compare.to', 'is missing')
  return period
}

function readRolling(
  given: Record<string, unknown>,
  hasTime: boolean,
  metrics: readonly ReadMetric[],
  refuse: Refuse,
): number | 'all' | null {
  const isCumulative = readFlag(given.cumulative, 'cumulative', refuse)
  const points = readWhole(given.rolling, 'rolling', rollingPointsMax, refuse)
  if (isCumulative && points !== null) refuse('rolling', 'cannot be combined with cumulative')
  if ((isCumulative || points !== null) && !hasTime) {
    refuse(isCumulative ? 'cumulative' : 'rolling', 'needs a dimension of time, such as time:day')
  }
  if (points !== null && metrics.some(({ name }) => name === 'newVisitors')) {
    refuse('rolling', 'cannot be combined with newVisitors, who are new in one interval only')
  }
  return isCumulative ? 'all' : points
}

function readDimensions(
  value: unknown,
  refuse: Refuse,
  budget: ReturnType<typeof newFilterBudget>,
): Dimension[] {
  if (!Array.isArray(value) || value.length > dimensionsMax + 1) {
    refuse('dimensions', `must be a list of up to ${dimensionsMax} dimensions and one of time`)
    return []
  }
  const seen = new Set<string>()
  const dimensions = value.flatMap((name: unknown, index) => {
    const isText = isName(name, propertyNameCharactersMax + 16)
    const dimension = isText ? dimensionOf(name) : null
    if (dimension === null) refuse(`dimensions[${index}]`, unknownDimension)
    else if (seen.has(dimension.name)) refuse(`dimensions[${index}]`, 'is there twice')
    if (dimension === null) return []
    seen.add(dimension.name)
    takeTrait(dimension, `dimensions[${index}]`, budget, refuse)
    return [dimension]
  })
  const times = dimensions.filter(({ kind }) => kind === 'time').length
  if (times > 1) refuse('dimensions', 'may have one dimension of time')
  if (dimensions.length - times > dimensionsMax) {
    refuse('dimensions', `may have ${dimensionsMax} dimensions besides time`)
  }
  return dimensions
}

function readMetrics(
  value: unknown,
  refuse: Refuse,
  budget: ReturnType<typeof newFilterBudget>,
): ReadMetric[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > metricsMax) {
    refuse(
      'metrics',
      `must be a list of 1 to ${metricsMax} metrics: ${metricNames.join(', ')}, or {"as", "event", "math"}`,
    )
    return []
  }
  const metrics: ReadMetric[] = []
  for (const [index, item] of value.entries()) {
    const at = `metrics[${index}]`
    const metric = readMetric(item, at, metrics, refuse, budget)
    if (metric === null) continue
    if (metrics.some(({ name }) => name === metric.name))
      refuse(at, `has a name that is taken: ${metric.name}`)
    else metrics.push(metric)
  }
  return metrics
}

function readMetric(
  item: unknown,
  at: string,
  before: readonly ReadMetric[],
  refuse: Refuse,
  budget: ReturnType<typeof newFilterBudget>,
): ReadMetric | null {
  if (!isRecord(item)) {
    const name = metricNames.find((one) => one === item)
    if (name === undefined)
      refuse(at, `must be one of ${metricNames.join(', ')}, or an object with a name in as`)
    return name === undefined ? null : { kind: 'metric', name }
  }
  const { as } = item
  const isNamed = typeof as === 'string' && /^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(as)
  if (!isNamed) refuse(`${at}.as`, 'must be a name of letters, digits and underscores, 40 at most')
  else if (metricNames.some((name) => name === as)) refuse(`${at}.as`, `is the name of a metric: ${as}`)
  if ('formula' in item) return readFormula(item, printedText(as), at, before, refuse)
  requireMembers(item, ['as', 'event', 'goal', 'math', 'property', 'where'], at, refuse)
  const { event, goal, property, where = [] } = item
  if (goal !== undefined && !isName(goal, 64)) refuse(`${at}.goal`, 'must be the id of a goal')
  if (goal !== undefined && event !== undefined) refuse(`${at}.goal`, 'cannot be combined with event')
  if (event !== undefined && !isName(event, eventNameCharactersMax)) {
    refuse(`${at}.event`, 'must be the name of an event')
  }
  const math = mathNames.find((one) => one === item.math)
  if (math === undefined) {
    refuse(`${at}.math`, `must be one of ${mathNames.join(', ')}`)
    return null
  }
  const { needsProperty } = mathTerms[math]
  if (needsProperty && !isName(property, propertyNameCharactersMax)) {
    refuse(`${at}.property`, `must be the name of a property, of which ${math} is computed`)
  }
  if (!needsProperty && property !== undefined) refuse(`${at}.property`, `is of no use for ${math}`)
  const conditions = readEventFilters(where, `${at}.where`, refuse, budget)
  const name = printedText(as)
  const shared = {
    event: event === undefined ? null : printedText(event),
    goal: goal === undefined ? null : printedText(goal),
    property: printedText(property ?? ''),
  }
  return { kind: 'math', name, math, ...shared, where: conditions }
}

function readFormula(
  item: Record<string, unknown>,
  name: string,
  at: string,
  before: readonly ReadMetric[],
  refuse: Refuse,
): ReadMetric | null {
  requireMembers(item, ['as', 'formula'], at, refuse)
  const { formula: text } = item
  if (typeof text !== 'string' || text.length > formulaCharactersMax) {
    refuse(`${at}.formula`, `must be a text of up to ${formulaCharactersMax} characters`)
    return null
  }
  const parsed = parseFormula(text)
  if (!parsed.ok) {
    refuse(`${at}.formula`, parsed.problem)
    return null
  }
  const known = before.map((metric) => metric.name)
  const missing = namesIn(parsed.formula).find((one) => !known.includes(one))
  if (missing !== undefined) {
    refuse(
      `${at}.formula`,
      `names ${missing}, which is none of the metrics before it: ${known.join(', ') || 'none'}`,
    )
  }
  return { kind: 'formula', name, formula: parsed.formula }
}

function readOrder(
  value: unknown,
  metrics: readonly ReadMetric[],
  dimensions: readonly Dimension[],
  refuse: Refuse,
): ReadOrder[] {
  if (!Array.isArray(value) || value.length > orderByMax) {
    refuse('orderBy', `must be a list of up to ${orderByMax} pairs: [["visitors", "desc"]]`)
    return []
  }
  const groups = dimensions.filter(({ kind }) => kind !== 'time')
  return value.flatMap((item: unknown, index): ReadOrder[] => {
    const at = `orderBy[${index}]`
    const [name, direction] = Array.isArray(item) && item.length === 2 ? item : [undefined, undefined]
    const metric = metrics.findIndex((one) => one.name === name)
    const dimension = groups.findIndex((one) => one.name === name)
    if (metric < 0 && dimension < 0) {
      const known = [...metrics, ...groups].map((one) => one.name)
      refuse(at, `must be a pair with one of ${known.join(', ')}; intervals of time are always in order`)
      return []
    }
    if (direction !== 'asc' && direction !== 'desc') {
      refuse(`${at}[1]`, 'must be asc or desc')
      return []
    }
    const isDescending = direction === 'desc'
    return [
      metric >= 0
        ? { by: 'metric', index: metric, isDescending }
        : { by: 'dimension', index: dimension, isDescending },
    ]
  })
}

function readFlag(value: unknown, at: string, refuse: Refuse): boolean {
  if (value !== undefined && typeof value !== 'boolean') refuse(at, 'must be true or false')
  return value === true
}

function readWhole(value: unknown, at: string, most: number, refuse: Refuse): number | null {
  if (value === undefined) return null
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
  if (!isWhole) refuse(at, `must be a whole number from 1 to ${most}`)
  return isWhole ? value : null
}

function readOptionalText(
  value: unknown,
  at: string,
  charactersMax: number,
  refuse: Refuse,
): string | undefined {
  if (value === undefined) return undefined
  if (!isName(value, charactersMax)) refuse(at, `must be a text of up to ${charactersMax} characters`)
  return printedText(value)
}
