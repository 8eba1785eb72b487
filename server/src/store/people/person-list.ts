import type { Events } from '../events.ts'
import type { DataSubject, PersonList } from './data-subject.ts'
import { searchTexts } from './person-text.ts'

type ListRow = { of: string; kind: string; value: string }

type Listed = Pick<DataSubject, 'originalIds' | 'values'> & { salt: string }
type Part = Pick<DataSubject, 'originalIds' | 'values' | 'list'>

/** A search takes 255 texts at once. */
const needlesPerGroup = 200
/** A few megabytes at most: values have 512 characters. */
const rowsPerInsert = 2_000

const listPrefix = 'person_list_'

/** `id` is one of our own, and names the list; so is `of`. */
export function personList(id: string, values: readonly string[], of = ''): PersonList {
  for (const name of [id, of]) {
    if (!/^[a-z0-9_]*$/.test(name)) throw new Error(`${JSON.stringify(name)} is not one of our ids`)
  }
  const needleGroups = Math.ceil(searchTexts(values).length / needlesPerGroup)
  return { name: `${listPrefix}${id}`, needleGroups, of }
}

/**
 * Made again from the start, since a worker before may have died over it. `parts` are parts of the same list. Answers
 * how many rows it has, for `requirePersonList`.
 */
export async function fillPersonList(
  events: Events,
  list: PersonList,
  listed: Listed,
  parts: readonly Part[] = [],
): Promise<number> {
  await dropPersonList(events, list)
  // On a cluster every replica changes its rows by the list, so it is on each of them.
  const engine = events.cluster === null ? 'Memory' : 'MergeTree ORDER BY (of, kind)'
  await events.command(
    `CREATE TABLE ${list.name} (of LowCardinality(String), kind LowCardinality(String), value String)
     ENGINE = ${engine}`,
  )
  const rows = [rowsOf(list, listed), ...parts.map((part) => rowsOf(part.list, { ...part, salt: '' }))].flat()
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await events.insertRows(list.name, rows.slice(start, start + rowsPerInsert).map(wellFormed))
  }
  return rows.length
}

/**
 * A list lies in memory, and the engine may be restarted between two statements: then no row of the person is found any
 * more, and none seems to be left. Asked at the end it speaks for all that was done with the list before.
 */
export async function requirePersonList(
  events: Events,
  { name }: Pick<PersonList, 'name'>,
  rows: number,
): Promise<void> {
  const [found] = await events.query<{ left: string | number }>(
    `SELECT count() AS left FROM ${name} WHERE kind != 'event'`,
  )
  const left = Number(found?.left ?? 0)
  if (left !== rows)
    throw new Error(`the list holds ${left} of ${rows} rows: the engine was restarted meanwhile`)
}

/** Half of a surrogate pair is refused by the store, which then holds its replacement, as for events. */
const wellFormed = ({ of, kind, value }: ListRow): ListRow => ({ of, kind, value: value.toWellFormed() })

function rowsOf({ of }: PersonList, { originalIds, values, salt }: Listed): ListRow[] {
  return [
    ...originalIds.map((value) => ({ of, kind: 'person', value })),
    ...values.map((value) => ({ of, kind: 'value', value })),
    ...searchTexts(values).map((value, index) => ({
      of,
      kind: `needle ${Math.floor(index / needlesPerGroup)}`,
      value,
    })),
    { of, kind: 'salt', value: salt },
  ]
}

/**
 * A rewrite that failed, or whose process died, is tried again forever, and every later one of the same table waits
 * for it. Without its list it can never succeed, so it is given up; the request does it again.
 */
export async function dropPersonList(events: Events, { name }: PersonList): Promise<void> {
  await events.command(`DROP TABLE IF EXISTS ${name}`)
  await events.command(
    `KILL MUTATION WHERE database = currentDatabase() AND NOT is_done AND position(command, '${listPrefix}') > 0
       AND extract(command, '${listPrefix}[a-z0-9_]+') NOT IN (
         SELECT name FROM system.tables WHERE database = currentDatabase())`,
  )
}

const selected = (what: string, { name, of }: PersonList, kind: string) =>
  `(SELECT ${what} FROM ${name} WHERE of = '${of}' AND kind = '${kind}')`

export const peopleIn = (list: PersonList) => selected('value', list, 'person')
export const keysIn = (list: PersonList) => selected('cityHash64(value)', list, 'person')
export const valuesIn = (list: PersonList) => selected('value', list, 'value')
export const eventIdsIn = (list: PersonList) => selected('value', list, 'event')
export const saltIn = (list: PersonList) => selected('any(value)', list, 'salt')

/** Whether a text holds what others call the person, whatever its case. */
export function namesPerson(text: string, list: PersonList): string {
  const groups = Array.from(
    { length: list.needleGroups },
    (_, group) => `multiSearchAny(lower(${text}), ${selected('groupArray(value)', list, `needle ${group}`)})`,
  )
  return groups.length === 0 ? 'false' : `(${groups.join(' OR ')})`
}

/** Quarantined events are stored as sent, so they belong to a person as well if they name them anywhere. */
export const quarantinedOf = (list: PersonList) =>
  `(person_id IN ${peopleIn(list)} OR ${namesPerson('held', list)})`

/** Adds the ids of all their events to the list: other tables know events by these only. */
export async function listEventIds(
  events: Events,
  { list, workspaceId }: Pick<DataSubject, 'list' | 'workspaceId'>,
  parts: readonly Pick<DataSubject, 'list'>[] = [],
): Promise<void> {
  const selects = [list, ...parts.map((part) => part.list)].map(
    (one) =>
      `SELECT '${one.of}', 'event', event_id FROM events
       WHERE workspace_id = {workspaceId:String} AND person_key IN ${keysIn(one)}
       UNION ALL
       SELECT '${one.of}', 'event', event_id FROM quarantine
       WHERE workspace_id = {workspaceId:String} AND ${quarantinedOf(one)}`,
  )
  await events.command(
    `INSERT INTO ${list.name} (of, kind, value)
     ${selects.join('\nUNION ALL\n')}`,
    { workspaceId },
  )
}
