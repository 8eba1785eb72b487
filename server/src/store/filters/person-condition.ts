import type { Condition } from '@assay/contract'
import {
  type EventFilter,
  eventConditions,
  eventsOf,
  type SqlCondition,
  type TimeRange,
} from '../event-filter.ts'
import { newBinder, renamed } from './binder.ts'
import { isOfPeople } from './condition-sql.ts'

/** A condition on the current `person_key`: who fits, or has an event in the time that does. */
export function personCondition(
  filter: EventFilter,
  conditions: readonly Condition[],
  range: TimeRange,
): SqlCondition {
  return renamed(
    conditions.every(isOfPeople) ? aboutPeople(filter, conditions, range) : withEvent(filter, range),
    'match',
    ['sql'],
  )
}

function aboutPeople(filter: EventFilter, conditions: readonly Condition[], range: TimeRange): SqlCondition {
  const binder = newBinder('people')
  return { sql: `(1${eventConditions(filter, range, conditions, binder)})`, params: binder.params }
}

function withEvent(filter: EventFilter, range: TimeRange): SqlCondition {
  const { from, where, params } = eventsOf(filter, range)
  return { sql: `person_key IN (SELECT person_key FROM ${from} WHERE ${where})`, params }
}
