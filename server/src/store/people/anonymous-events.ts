import { type Anonymised, type EventColumn, eventColumnList } from '../event-columns.ts'
import type { Events } from '../events.ts'
import type { DataSubject, PersonList } from './data-subject.ts'
import { namesPerson, peopleIn, saltIn, valuesIn } from './person-list.ts'
import { rewriteRows } from './person-rows.ts'
import type { EventsRows } from './personal-data.ts'

/** Names under which a number may identify a person. */
const identifierNames = `('user_id', 'anonymous_id', 'person_id', 'session_id', 'device_id', 'customer_id',
  'account_id', 'email', 'phone', 'phone_number', 'mobile', 'ip', 'zip', 'postal_code', 'birth_year')`

/** Of what was sent numbers and yes or no stay. A text may say anything, and so may what is nested. */
const harmless = `if(properties = '', '', concat('{', arrayStringConcat(
      arrayMap(pair -> concat(toJSONString(pair.1), ':', pair.2), arrayFilter(
        pair -> match(pair.2, '^(-?[0-9.]+([eE][+-]?[0-9]+)?|true|false)$') AND lower(pair.1) NOT IN ${identifierNames},
        JSONExtractKeysAndValuesRaw(properties))), ','), '}'))`

/** Values of an anonymised event, as expressions over what is stored. */
type Values = Readonly<Record<Exclude<Anonymised, 'kept'>, (column: string) => string>>

/**
 * A session gets a name that cannot be reversed: it stays one visit, and visits of one person cannot be
 * linked.
 */
function anonymousValues(list: PersonList): Values {
  const unlessNamed = (column: string, text = column) => `if(${namesPerson(column, list)}, '', ${text})`
  return {
    emptied: () => "''",
    nobody: () => "'nobody'",
    numbers: () => harmless,
    renamed: (column) =>
      `if(${column} = '', '', concat('ses_', lower(hex(sipHash128(${saltIn(list)}, ${column})))))`,
    'unless named': (column) => unlessNamed(column),
    address: (column) => unlessNamed(column, `cutQueryStringAndFragment(${column})`),
  }
}

/** What becomes of these columns; nothing is said of one that stays as it is. */
function anonymisingChange(columns: readonly (readonly [string, EventColumn])[], list: PersonList): string {
  const values = anonymousValues(list)
  const changedValue = (name: string): string | null => {
    const { anonymised = 'kept' } = columns.find(([column]) => column === name)?.[1] ?? {}
    return anonymised === 'kept' ? null : values[anonymised](name)
  }
  const changes = columns.flatMap(([name, { hashOf }]) => {
    const value = changedValue(hashOf ?? name)
    return value === null ? [] : [`${name} = ${hashOf === undefined ? value : `cityHash64(${value})`}`]
  })
  return `UPDATE ${changes.join(', ')}`
}

/** Columns of events that back-fills write. They contain nothing else about people. */
const overlayColumns: readonly string[] = ['person_id', 'issues', 'properties', 'set_aside']

export function anonymiseOverlays(events: Events, rows: EventsRows, person: DataSubject): Promise<void> {
  const columns = eventColumnList.filter(([name]) => overlayColumns.includes(name))
  return rewriteRows(events, rows, anonymisingChange(columns, person.list), person)
}

/**
 * For tables with the columns of events. What happened, where, when and for how much stays, and counts as
 * before; nothing identifies anyone.
 */
export function anonymiseEvents(events: Events, rows: EventsRows, person: DataSubject): Promise<void> {
  return rewriteRows(events, rows, anonymisingChange(eventColumnList, person.list), person)
}

/** In the events of others: their device, or their user id besides another person's. */
export const ofOthers = (list: PersonList) =>
  `person_id NOT IN ${peopleIn(list)} AND (user_id IN ${valuesIn(list)} OR anonymous_id IN ${valuesIn(list)})`

/** Events of others stay as they are, without what names the person. */
export function emptyIdentifiers(events: Events, rows: EventsRows, person: DataSubject): Promise<void> {
  const without = (column: string) => `${column} = if(${column} IN ${valuesIn(person.list)}, '', ${column})`
  // The key stays what it is. With a column of it in the change the projection by person is written again; else its
  // files would be linked, and the portable engine has no links.
  const change = `UPDATE ${without('user_id')}, ${without('anonymous_id')}, person_key = person_key`
  return rewriteRows(events, rows, change, person)
}
