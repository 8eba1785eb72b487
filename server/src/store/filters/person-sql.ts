import type { EventFilter, SqlCondition } from '../event-base.ts'
import type { Binder } from './binder.ts'
import type { Compared } from './comparison-sql.ts'
import type { PersonDimension } from './condition-sql.ts'
import { ofSet } from './dimension-sql.ts'
import { rowsOfSet } from './people-sets.ts'

/** Puts a part into a statement, with parameters of its own. */
export type Take = (parts: SqlCondition) => string

/** Rows of `person_key` and a value; of a trait one for each person, of audiences as many as a person is in. */
type PersonRows = { rows: string; value: Compared }

const nobody = "(SELECT toUInt64(0) AS person_key, '' AS name, '' AS value, 0 AS is_text WHERE 0)"

export function personRows(
  { people }: EventFilter,
  dimension: PersonDimension,
  binder: Binder,
  take: Take,
): PersonRows {
  if (dimension.kind === 'audience') {
    const memberships = people?.memberships ?? null
    return { rows: memberships === null ? nobody : take(memberships), value: { text: 'name', type: 'text' } }
  }
  const { traits = {} } = people ?? {}
  const set = Object.hasOwn(traits, dimension.trait) ? traits[dimension.trait] : undefined
  return { rows: set === undefined ? nobody : rowsOfSet(binder.bind('String', set)), value: ofSet }
}

/** Whether the person of an event has a row whose value fits. */
export function personSql({ rows, value }: PersonRows, fits: (value: Compared) => string): string {
  return `person_key IN (SELECT person_key FROM ${rows} WHERE ${fits(value)})`
}
