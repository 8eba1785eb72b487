import type { Events } from '../events.ts'
import type { DataSubject, PersonList } from './data-subject.ts'
import { namesPerson, peopleIn, saltIn, valuesIn } from './person-list.ts'
import { rewriteRows } from './person-rows.ts'
import type { EventsRows } from './personal-data.ts'

/** Names under which a number may be somebody's. */
const identifierNames = `('user_id', 'anonymous_id', 'person_id', 'session_id', 'device_id', 'customer_id',
  'account_id', 'email', 'phone', 'phone_number', 'mobile', 'ip', 'zip', 'postal_code', 'birth_year')`

/** Of what was sent numbers and yes or no stay. A text may say anything, and so may what is nested. */
const harmless = `if(properties = '', '', concat('{', arrayStringConcat(
      arrayMap(pair -> concat(toJSONString(pair.1), ':', pair.2), arrayFilter(
        pair -> match(pair.2, '^(-?[0-9.]+([eE][+-]?[0-9]+)?|true|false)$') AND lower(pair.1) NOT IN ${identifierNames},
        JSONExtractKeysAndValuesRaw(properties))), ','), '}'))`

const always = ["person_id = ''", "issues = ''", `properties = ${harmless}`, "set_aside = ''"]

/** Rows of a back-fill say nothing else of anybody. */
export function anonymiseOverlays(events: Events, rows: EventsRows, person: DataSubject): Promise<void> {
  return rewriteRows(events, rows, `UPDATE ${always.join(', ')}`, person)
}

/**
 * For tables with the columns of events. What happened, where, when and for how much stays, and counts as before;
 * nothing leads to anybody. A session gets a name that cannot be found out again: it stays one visit, and none can be
 * told to be of the same person as another.
 */
export function anonymiseEvents(events: Events, rows: EventsRows, person: DataSubject): Promise<void> {
  const { list } = person
  const session = `concat('ses_', lower(hex(sipHash128(${saltIn(list)}, session_id))))`
  const unlessNamed = (column: string, text = column) =>
    `${column} = if(${namesPerson(column, list)}, '', ${text})`
  const change = [
    ...always,
    "person_key = cityHash64('')",
    "resolved_by = 'nobody'",
    "user_id = ''",
    "anonymous_id = ''",
    `session_id = if(session_id = '', '', ${session})`,
    `session_key = cityHash64(if(session_id = '', '', ${session}))`,
    unlessNamed('url', 'cutQueryStringAndFragment(url)'),
    unlessNamed('referrer', 'cutQueryStringAndFragment(referrer)'),
    unlessNamed('path'),
    unlessNamed('title'),
    unlessNamed('utm_term'),
    unlessNamed('utm_content'),
    "click_id = ''",
    "click_id_type = ''",
    "consent_record_id = ''",
    "context = ''",
    // What an error said is a text like any other.
    "folded_title = ''",
    "folded_culprit = ''",
  ]
  return rewriteRows(events, rows, `UPDATE ${change.join(', ')}`, person)
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
