import {
  dependsOnPeople,
  type EventFilter,
  type SqlCondition,
  type TimeRange,
  visitsOf,
  withoutPeople,
} from '../store/event-filter.ts'
import { ofCurrentPeople } from '../store/event-source.ts'

/**
 * Rows of all events of the visits that match, with `person_key` and the columns that are asked for. Merges are looked
 * up for these narrow rows, unless the filter itself needs them. `columns` gets the condition of a match.
 */
export function peopleRows(
  filter: EventFilter,
  range: TimeRange,
  columns: (matches: string) => readonly string[],
): SqlCondition {
  const { from, where, matches, params } = visitsOf(withoutPeople(filter), range)
  const rows = `SELECT ${['person_key', ...columns(matches)].join(', ')} FROM ${from} WHERE ${where}`
  const sql = dependsOnPeople(filter) ? `(${rows})` : ofCurrentPeople(rows, filter.readOverlays)
  return { sql, params }
}
