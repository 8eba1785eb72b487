import type { Condition } from '@assay/contract'
import {
  baseOf,
  type EventFilter,
  hasSession,
  isAfterBorder,
  type Selection,
  type SqlCondition,
  type TimeRange,
} from '../event-base.ts'
import { type Binder, newBinder, renamed } from './binder.ts'
import { allOf, type ConditionWorld, conditionSql, type Did } from './condition-sql.ts'
import { personRows, personSql, type Take } from './person-sql.ts'
import { type VisitPage, visitValue } from './visit-value.ts'

/** Conditions on single events within a statement about the same filter and time. */
export function eventConditions(
  filter: EventFilter,
  range: TimeRange,
  conditions: readonly Condition[],
  binder: Binder,
): string {
  const world = worldOf(filter, range, binder)
  return conditions.map((condition) => ` AND ${conditionSql(condition, world)}`).join('')
}

/** Whether an event reaches a goal of the site. */
export function goalSql(filter: EventFilter, range: TimeRange, id: string, binder: Binder): string {
  return allOf(filter.goals?.[id] ?? [], worldOf(filter, range, binder))
}

/** Conversions: events of these names, and those that reach a goal. The parameters are the same in any statement. */
export function conversionSql(filter: EventFilter, range: TimeRange): SqlCondition {
  const binder = newBinder('goal')
  const world = worldOf(filter, range, binder)
  const goals = Object.values(filter.goals ?? {}).map((conditions) => allOf(conditions, world))
  return { sql: `(${[`name IN ${conversionEvents}`, ...goals].join(' OR ')})`, params: binder.params }
}

const conversionEvents = "('$purchase', '$subscribe', '$signup')"

export function worldOf(filter: EventFilter, range: TimeRange, binder: Binder): ConditionWorld {
  const take = takerOf(binder, 'at')
  return {
    binder,
    did: (did) => didSql(filter, range, did, take),
    inAudience: (audiences) => {
      const parts = audiences.map((id) => filter.filters?.audiences[id])
      return `(${parts.map((part) => (part === undefined ? '0' : take(part))).join(' OR ')})`
    },
    ofPerson: (dimension, fits) => personSql(personRows(filter, dimension, binder, take), fits),
    goal: (id) => filter.goals?.[id] ?? [],
    ofVisit: (page, fits) => visitPageSql(baseOf(withoutMerges(filter), range), range, page, fits),
  }
}

/** Each part that is taken has parameters that begin with the prefix and its number. */
export function takerOf(binder: Binder, prefix: string): Take {
  let places = 0
  return (parts) => {
    places += 1
    const { sql, params } = renamed(parts, `${prefix}${places}`, ['sql'])
    Object.assign(binder.params, params)
    return sql
  }
}

/** Visits are the same before and after a merge. The statement has the parameters of this, too. */
function withoutMerges(filter: EventFilter): EventFilter {
  return { ...filter, readOverlays: { ...filter.readOverlays, hasMerges: false } }
}

/** The first or last page view of each visit, and of an event without a session the page that it is about. */
function visitPageSql(
  { from, where }: Selection,
  range: TimeRange,
  page: VisitPage,
  fits: (path: string) => string,
): string {
  const key = range.border === undefined ? 'session_key' : `(${isAfterBorder}, session_key)`
  // A condition may take the page into a lambda, where an aggregate cannot be.
  return `if(${hasSession}, ${key} IN (
        SELECT visit_key FROM (
          SELECT ${key} AS visit_key, ${visitValue(page)} AS visit_page
          FROM ${from} WHERE ${where} AND ${hasSession} GROUP BY visit_key)
        WHERE ${fits('visit_page')}),
      ${fits("if(name = '$pageview', path, '')")})`
}

/** Each of two periods has windows of its own. */
function didSql(
  filter: EventFilter,
  { fromMs, toMs, border }: TimeRange,
  did: Did,
  take: (parts: SqlCondition) => string,
): string {
  const within = (range: TimeRange) => {
    const { windowStart } = filter.filters ?? {}
    const isWindow = did.within !== null && windowStart !== undefined
    const start = isWindow ? windowStart(did.within ?? '', range.toMs) : range.fromMs
    return take(peopleWho(filter, { fromMs: start, toMs: range.toMs }, did))
  }
  if (border === undefined) return within({ fromMs, toMs })
  const before = within({ fromMs, toMs: border.endMs })
  return `if(${isAfterBorder}, ${within({ fromMs: border.startMs, toMs })}, ${before})`
}

const counts = {
  gte: { sign: '>=', opposite: '<', ofNone: (value: number) => value === 0 },
  lte: { sign: '<=', opposite: '>', ofNone: () => true },
  eq: { sign: '=', opposite: '!=', ofNone: (value: number) => value === 0 },
} as const

/** Who never did it is in no row, so that what holds for none is asked the other way round. */
function peopleWho(filter: EventFilter, range: TimeRange, { event, count, where }: Did): SqlCondition {
  const { from, where: base, params } = baseOf(filter, range)
  const binder = newBinder('did')
  const { sign, opposite, ofNone } = counts[count.op]
  const isOpposite = ofNone(count.value)
  const isEvent = `name = ${binder.bind('String', event)}`
  const conditions = eventConditions(filter, range, where, binder)
  const times = binder.bind('UInt32', count.value)
  const sql = `person_key ${isOpposite ? 'NOT IN' : 'IN'} (
        SELECT person_key FROM ${from}
        WHERE ${base} AND ${isEvent}${conditions} AND person_key != cityHash64('')
        GROUP BY person_key HAVING count() ${isOpposite ? opposite : sign} ${times})`
  return { sql, params: { ...params, ...binder.params } }
}
