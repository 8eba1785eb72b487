import type { Condition } from '@assay/contract'
import {
  baseOf,
  type EventFilter,
  hasSession,
  isAfterBorder,
  type Selection,
  type TimeRange,
} from './event-base.ts'
import type { QueryParams } from './events.ts'
import { newBinder } from './filters/binder.ts'
import { asksPeople, conditionSql, isOfPeople } from './filters/condition-sql.ts'
import { filterPrefix } from './filters/filter-bounds.ts'
import { worldOf } from './filters/filter-world.ts'

export type {
  EventFilter,
  Filters,
  GoalConditions,
  PeopleTerms,
  Selection,
  SqlCondition,
  TimeRange,
} from './event-base.ts'
export { hasSession, isAfterBorder } from './event-base.ts'
export { conversionSql, eventConditions, goalSql } from './filters/filter-world.ts'

/** The events that match everything in the filter. */
export function eventsOf(filter: EventFilter, range: TimeRange): Selection {
  const base = baseOf(filter, range)
  const { own, whose, params } = compiled(filter, range)
  return {
    from: base.from,
    where: [base.where, ...whose, ...own].join(' AND '),
    params: { ...base.params, ...params },
  }
}

/**
 * For reads that do not depend on people: looking up merges makes a read of wide columns three to four times
 * as expensive.
 */
export function withoutPeople(filter: EventFilter): EventFilter {
  return dependsOnPeople(filter)
    ? filter
    : { ...filter, readOverlays: { ...filter.readOverlays, hasMerges: false } }
}

/** Whether whom an event belongs to decides if it matches. */
export function dependsOnPeople({ filters }: EventFilter): boolean {
  return filters?.conditions.some(asksPeople) ?? false
}

export type Subject = 'session' | 'person'
const subjectKeys = { session: 'session_key', person: 'person_key' } as const

/** The column that identifies subjects. */
export function subjectKey(subject: Subject): 'session_key' | 'person_key' {
  return subjectKeys[subject]
}

/** All events of some visits; `matches` holds for those of them that match the filter themselves. */
export type Visits = Selection & { matches: string }

/**
 * All events of the visits of which at least one event matches the filter: the steps of a visit contain
 * neither its source nor each other's paths. An event without a session is a visit alone. What a filter asks of
 * people alone, such as an audience, is no property of a visit: only events of these people are in any of them.
 * Each of two periods has its own visits, so that its figures do not depend on the other.
 */
export function visitsOf(filter: EventFilter, range: TimeRange): Visits {
  const base = baseOf(filter, range)
  const { own, whose, params } = compiled(filter, range)
  const matches = own.length === 0 ? '1' : `(${own.join(' AND ')})`
  const among = own.length === 0 ? [] : [`(${matches} OR ${inMatchingSession(filter, range)})`]
  return {
    from: base.from,
    where: [base.where, ...whose, ...among].join(' AND '),
    params: { ...base.params, ...params },
    matches,
  }
}

function inMatchingSession(filter: EventFilter, range: TimeRange): string {
  // Only some filters depend on current people.
  const { from, where } = eventsOf(withoutPeople(filter), range)
  const key = range.border === undefined ? 'session_key' : `(${isAfterBorder}, session_key)`
  return `${key} IN (SELECT ${key} FROM ${from} WHERE ${where} AND ${hasSession})`
}

/** Visits by session or by person. Events without a session (or person) are in none. */
export function sequencesOf(asked: EventFilter, range: TimeRange, subject: Subject): Selection {
  // The people of sessions are read only if people are counted.
  const { from, where, params } = visitsOf(subject === 'session' ? withoutPeople(asked) : asked, range)
  return { from, where: `${where} AND ${subjectKeys[subject]} != cityHash64('')`, params }
}

/** Whether anything narrows the events of the site down. */
export function isFiltered(filter: EventFilter): boolean {
  return (filter.filters?.conditions.length ?? 0) > 0
}

type Compiled = { own: string[]; whose: string[]; params: QueryParams }

/** What an event itself has to fit, and what its person has to. */
function compiled(filter: EventFilter, range: TimeRange): Compiled {
  const conditions = filter.filters?.conditions ?? []
  const binder = newBinder(filterPrefix)
  const world = worldOf(filter, range, binder)
  const [whose = [], own = []] = [true, false].map((isAboutPeople) =>
    conditions
      .filter((condition) => isOfPeople(condition) === isAboutPeople)
      .map((condition) => conditionSql(condition, world)),
  )
  return { own, whose, params: binder.params }
}

/** Names to which a filter narrows events down; null for any. */
export function eventNamesOf({ filters }: Pick<EventFilter, 'filters'>): readonly string[] | null {
  const named = filters?.conditions.find(isEventName)
  return named === undefined ? null : namesIn(named)
}

/** Whether anything but the names of events narrows them down. */
export function isFilteredBesidesNames({ filters }: Pick<EventFilter, 'filters'>): boolean {
  const conditions = filters?.conditions ?? []
  return conditions.filter(isEventName).length > 1 || !conditions.every(isEventName)
}

function isEventName(condition: Condition): boolean {
  if (condition.kind !== 'compare' || condition.dimension.kind !== 'column') return false
  return condition.op === 'is' && condition.dimension.name === 'event'
}

function namesIn(condition: Condition): readonly string[] {
  return condition.kind === 'compare' ? condition.values.map(String) : []
}
