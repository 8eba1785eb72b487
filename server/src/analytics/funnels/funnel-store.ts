import type { FunnelBreakdown, FunnelOrder, FunnelStep, PropertyCondition } from '@assay/contract'
import {
  type EventFilter,
  type SqlCondition,
  type Subject,
  sequencesOf,
  subjectKey,
  type TimeRange,
} from '../../store/event-filter.ts'
import { eventOrder } from '../../store/event-order.ts'
import type { Count, Events, QueryParams } from '../../store/events.ts'
import { isPathPattern, pathExpression } from '../../store/filters/path-pattern.ts'

export type FunnelPlan = {
  steps: readonly FunnelStep[]
  order: FunnelOrder
  by: Subject
  withinMs: number
  breakdown: FunnelBreakdown | undefined
}

export type LevelRow = { level: Count; segment: string; subjects: Count }

/** How many sessions or people reached which step at most, by segment. */
export function selectLevels(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  plan: FunnelPlan,
): Promise<LevelRow[]> {
  const { from, where, params } = sequencesOf(filter, range, plan.by)
  const steps = stepConditions(plan.steps)
  const segment =
    plan.breakdown === undefined
      ? "''"
      : `argMinIf(toString(${plan.breakdown}), ${eventOrder(plan.breakdown)}, ${conditionOf(plan.order, steps)})`
  return events.query<LevelRow>(
    `SELECT level, segment, count() AS subjects
     FROM (
       SELECT ${levelOf(plan, steps)} AS level, ${segment} AS segment
       FROM ${from} WHERE ${where}${onlySteps(plan.order, steps)} GROUP BY ${subjectKey(plan.by)}
     ) WHERE level > 0 GROUP BY level, segment`,
    { ...params, ...paramsOf(steps) },
  )
}

export type StepTimesRow = { ms: Count[]; masks: number[] }

/** The step events in order, of one in `every` of the sessions or people that took more than one. */
export function selectStepTimes(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  plan: FunnelPlan,
  every: number,
): Promise<StepTimesRow[]> {
  const { from, where, params } = sequencesOf(filter, range, plan.by)
  const steps = stepConditions(plan.steps)
  const key = subjectKey(plan.by)
  return events.query<StepTimesRow>(
    `SELECT arrayMap(e -> e.1, taken) AS ms, arrayMap(e -> e.3, taken) AS masks
     FROM (
       SELECT arraySort(groupArray((toUnixTimestamp64Milli(ts), arrival, ${maskOf(steps)}))) AS taken
       FROM ${from}
       WHERE ${where} AND ${key} % {every:UInt32} = 0${onlySteps(plan.order, steps)}
       GROUP BY ${key} HAVING bitCount(groupBitOr(${maskOf(steps)})) > 1
     )`,
    { ...params, ...paramsOf(steps), every },
  )
}

/** With strict order, events between the steps have to be read; otherwise they only cost. */
export function onlySteps(order: FunnelOrder, steps: readonly SqlCondition[]): string {
  return order === 'strict-order' ? '' : ` AND (${steps.map(({ sql }) => sql).join(' OR ')})`
}

/** The event that a segment is taken from: the first step, or any if the order does not matter. */
function conditionOf(order: FunnelOrder, steps: readonly SqlCondition[]): string {
  return order === 'any-order' ? steps.map(({ sql }) => sql).join(' OR ') : (steps[0]?.sql ?? '1')
}

const modes = {
  'in-order': '',
  'strict-order': ", 'strict_order'",
  'strict-increase': ", 'strict_increase'",
} as const

export function levelOf(
  { order, withinMs, steps: given }: FunnelPlan,
  steps: readonly SqlCondition[],
): string {
  if (order === 'any-order') return anyOrderLevel(steps, withinMs)
  const once = mayOverlap(given) ? ", 'strict_once'" : ''
  const conditions = steps.map(({ sql }) => sql).join(', ')
  const { time, window } = order === 'strict-increase' ? plainTime(withinMs) : tiedTime(withinMs)
  return `windowFunnel(${window}${modes[order]}${once})(${time}, ${conditions})`
}

/** The window is in units of the time, and may exceed a number. */
type FunnelTime = { time: string; window: bigint }

/** If each step has to be later than the one before, the order of arrival at one time does not matter. */
const plainTime = (withinMs: number): FunnelTime => ({
  time: 'toUInt64(toUnixTimestamp64Milli(ts))',
  window: BigInt(withinMs),
})

/** A millisecond in units of these times; the order of events within it takes less than half of it. */
const tieScale = 2 ** 26
/** 16.8 seconds in microseconds, the unit of arrival numbers. */
export const tieSpan = 2 ** 24

/**
 * Events of one millisecond in order of arrival, in one number: by their transit time, to the microsecond;
 * beyond some seconds by the last digits of the number, which are ordered for events that arrived together. A
 * millisecond stays within half a unit, so the window is exact. Decision 0025.
 */
export function tiedTime(withinMs: number): FunnelTime {
  const ms = 'toUnixTimestamp64Milli(ts)'
  const delay = `(toInt64(arrival) - ${ms} * 1000)`
  const place = `if(${delay} < ${tieSpan}, greatest(${delay}, 0), ${tieSpan} + toInt64(arrival % ${tieSpan}))`
  return {
    time: `toUInt64((${ms} - {fromMs:Int64}) * ${tieScale} + ${place})`,
    window: BigInt(withinMs) * BigInt(tieScale) + BigInt(tieScale / 2),
  }
}

/** One event must not be two steps; checking that costs, so it is done only where it can happen. */
export function mayOverlap(steps: readonly FunnelStep[]): boolean {
  const names = steps.map(eventOf)
  return steps.length > 1 && (names.includes(undefined) || new Set(names).size < steps.length)
}

/** Remembers when each step was last taken, and after each event counts those that are near enough. */
function anyOrderLevel(steps: readonly SqlCondition[], withinMs: number): string {
  const never = 'toInt64(-9000000000000000)'
  const noneYet = `[${steps.map(() => never).join(', ')}]`
  const places = `[${steps.map((_, index) => index).join(', ')}]`
  const taken = `arrayMap((seen, place) -> if(bitTest(e.2, place), e.1, seen), a.2, ${places})`
  return `arrayFold(
         (a, e) -> (
           greatest(a.1, toUInt8(arrayCount(seen -> seen >= e.1 - ${withinMs}, ${taken}))), ${taken}),
         arraySort(groupArray((toUnixTimestamp64Milli(ts), ${maskOf(steps)}))), (toUInt8(0), ${noneYet})).1`
}

function maskOf(steps: readonly SqlCondition[]): string {
  return `toUInt16(${steps.map(({ sql }, index) => `(${sql}) * ${2 ** index}`).join(' + ')})`
}

export function stepConditions(steps: readonly FunnelStep[]): SqlCondition[] {
  return steps.map(stepCondition)
}

export const paramsOf = (steps: readonly SqlCondition[]): QueryParams =>
  Object.assign({}, ...steps.map(({ params }) => params))

/** A path without an event is a page view, a target without one a click. */
export function eventOf({ event, path, target }: FunnelStep): string | undefined {
  if (event !== undefined) return event
  return path !== undefined && target === undefined ? '$pageview' : undefined
}

function stepCondition(step: FunnelStep, index: number): SqlCondition {
  const event = eventOf(step)
  const { path, target, where = [] } = step
  const conditions: SqlCondition[] = []
  const add = (sql: string, name: string, value: unknown) =>
    conditions.push({ sql: sql.replace('?', `{${name}:String}`), params: { [name]: value } })
  if (event !== undefined) add('name = ?', `step${index}Event`, event)
  if (target !== undefined) add('target = ?', `step${index}Target`, target)
  if (path !== undefined) {
    if (isPathPattern(path)) add('match(path, ?)', `step${index}Path`, pathExpression(path))
    else add('path = ?', `step${index}Path`, path)
  }
  for (const [place, condition] of where.entries())
    conditions.push(propertyCondition(condition, index, place))
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(' AND ') || '1'})`,
    params: Object.assign({}, ...conditions.map(({ params }) => params)),
  }
}

/** Text unchanged; numbers, booleans and the like as JSON. */
const asText = (key: string) =>
  `if(JSONType(properties, ${key}) = 'String', JSONExtractString(properties, ${key}), JSONExtractRaw(properties, ${key}))`

function propertyCondition(
  { property, op, value }: PropertyCondition,
  step: number,
  place: number,
): SqlCondition {
  const name = `step${step}Property${place}`
  const key = `{${name}:String}`
  const given = `{${name}Value:String}`
  const params = { [name]: property, ...(value !== undefined && { [`${name}Value`]: String(value) }) }
  const number = `JSONExtractFloat(properties, ${key})`
  const isNumber = `JSONType(properties, ${key}) IN ('Int64', 'UInt64', 'Double')`
  const sql = {
    is: `(JSONHas(properties, ${key}) AND ${asText(key)} = ${given})`,
    'is-not': `NOT (JSONHas(properties, ${key}) AND ${asText(key)} = ${given})`,
    contains: `(JSONType(properties, ${key}) = 'String' AND position(${asText(key)}, ${given}) > 0)`,
    'at-least': `(${isNumber} AND ${number} >= toFloat64(${given}))`,
    'at-most': `(${isNumber} AND ${number} <= toFloat64(${given}))`,
    exists: `(JSONType(properties, ${key}) != 'Null')`,
  }[op]
  return { sql, params: op === 'exists' ? { [name]: property } : params }
}
