import type { Events } from './events.ts'
import { searchTexts } from './person-text.ts'
import type { DataSubject } from './personal-data.ts'

/**
 * Whom and what a request is about, in a table that lies in memory only. Statements that rewrite parts are kept as text
 * on disk, so they name this list and never what is in it.
 */
export type PersonList = { name: string; needleGroups: number }

type ListRow = { kind: string; value: string }

export type Listed = Pick<DataSubject, 'bornIds' | 'values'> & { salt: string }

/** A search takes 255 texts at once. */
const needlesPerGroup = 200
/** A few megabytes at most: values have 512 characters. */
const rowsPerInsert = 2_000

const listPrefix = 'person_list_'

/** `id` is one of our own, and names the list. */
export function personList(id: string, values: readonly string[]): PersonList {
  if (!/^[a-z0-9_]+$/.test(id)) throw new Error(`${JSON.stringify(id)} is not one of our ids`)
  const needleGroups = Math.ceil(searchTexts(values).length / needlesPerGroup)
  return { name: `${listPrefix}${id}`, needleGroups }
}

/** Made again from the start, since a worker before may have died over it. */
export async function fillPersonList(
  events: Events,
  list: PersonList,
  { bornIds, values, salt }: Listed,
): Promise<void> {
  await dropPersonList(events, list)
  await events.command(
    `CREATE TABLE ${list.name} (kind LowCardinality(String), value String) ENGINE = Memory`,
  )
  const rows: ListRow[] = [
    ...bornIds.map((value) => ({ kind: 'person', value })),
    ...values.map((value) => ({ kind: 'value', value })),
    ...searchTexts(values).map((value, index) => ({
      kind: `needle ${Math.floor(index / needlesPerGroup)}`,
      value,
    })),
    { kind: 'salt', value: salt },
  ]
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await events.insertRows(list.name, rows.slice(start, start + rowsPerInsert).map(wellFormed))
  }
}

/** Half of a surrogate pair is refused by the store, which then holds its replacement, as for events. */
const wellFormed = ({ kind, value }: ListRow): ListRow => ({ kind, value: value.toWellFormed() })

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

export const peopleIn = ({ name }: PersonList) => `(SELECT value FROM ${name} WHERE kind = 'person')`
export const keysIn = ({ name }: PersonList) =>
  `(SELECT cityHash64(value) FROM ${name} WHERE kind = 'person')`
export const valuesIn = ({ name }: PersonList) => `(SELECT value FROM ${name} WHERE kind = 'value')`
export const eventIdsIn = ({ name }: PersonList) => `(SELECT value FROM ${name} WHERE kind = 'event')`
export const saltIn = ({ name }: PersonList) => `(SELECT any(value) FROM ${name} WHERE kind = 'salt')`

/** Whether a text holds what others call the person, whatever its case. */
export function namesPerson(text: string, { name, needleGroups }: PersonList): string {
  const groups = Array.from(
    { length: needleGroups },
    (_, group) =>
      `multiSearchAny(lower(${text}), (SELECT groupArray(value) FROM ${name} WHERE kind = 'needle ${group}'))`,
  )
  return groups.length === 0 ? 'false' : `(${groups.join(' OR ')})`
}

/** What was sent and held stands there as it came, so it is theirs as well where it names them anywhere. */
export const heldOf = (list: PersonList) => `(person_id IN ${peopleIn(list)} OR ${namesPerson('held', list)})`

/** Adds the ids of all their events to the list: other tables know events by these only. */
export async function listEventIds(events: Events, { list, workspaceId }: DataSubject): Promise<void> {
  await events.command(
    `INSERT INTO ${list.name} (kind, value)
     SELECT 'event', event_id FROM events
     WHERE workspace_id = {workspaceId:String} AND person_key IN ${keysIn(list)}
     UNION ALL
     SELECT 'event', event_id FROM quarantine
     WHERE workspace_id = {workspaceId:String} AND ${heldOf(list)}`,
    { workspaceId },
  )
}
