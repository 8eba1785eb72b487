import type { Events } from '../events.ts'
import { changeRows } from '../row-changes.ts'
import type { DataSubject, PersonList } from './data-subject.ts'
import type { EventsRows, StoredPlace } from './personal-data.ts'

const ofWorkspace = 'workspace_id = {workspaceId:String}'

/** A statement of so many counts has some 50 KB; the engine takes 256. */
const countsPerStatement = 150

type Counted = { place: number; name: string; rows: string | number }

/** How many rows there are in each of these of each list, in few statements. */
export async function countEventsRows(
  events: Events,
  wanted: ReadonlyMap<string, EventsRows>,
  lists: readonly PersonList[],
  workspaceId: string,
): Promise<Map<string, number>[]> {
  const counts = lists.flatMap((list, place) =>
    [...wanted].map(
      ([name, { table, where, key }]) =>
        `SELECT ${place} AS place, '${name}' AS name, ${key === undefined ? 'count()' : `uniqExact(${key})`} AS rows
         FROM ${table}
         WHERE ${ofWorkspace} AND (${where(list)})`,
    ),
  )
  const found = lists.map(() => new Map<string, number>())
  for (let start = 0; start < counts.length; start += countsPerStatement) {
    const statement = counts.slice(start, start + countsPerStatement).join('\nUNION ALL\n')
    const rows = await events.query<Counted>(statement, { workspaceId })
    for (const { place, name, rows: count } of rows) found[place]?.set(name, Number(count))
  }
  return found
}

/** Changes rows of the person in every part; what was there before is replaced when it resolves. */
export async function rewriteRows(
  events: Events,
  { table, where }: EventsRows,
  change: string,
  { list, workspaceId }: Pick<DataSubject, 'list' | 'workspaceId'>,
): Promise<void> {
  await changeRows(events, `ALTER TABLE ${table} ${change} WHERE ${ofWorkspace} AND (${where(list)})`, {
    workspaceId,
  })
}

export function deleteRows(
  events: Events,
  rows: EventsRows,
  person: Pick<DataSubject, 'list' | 'workspaceId'>,
): Promise<void> {
  return rewriteRows(events, rows, 'DELETE', person)
}

/** A table whose rows of a person go in both modes. */
export function deletedTable(
  events: Events,
  table: string,
  where: EventsRows['where'],
  exported: StoredPlace['exported'],
  key?: string,
): StoredPlace {
  const rows = { table, where, ...(key !== undefined && { key }) }
  return {
    kind: 'table',
    name: table,
    covers: { events: [table] },
    method: () => 'deleted',
    count: rows,
    erase: (person) => deleteRows(events, rows, person),
    exported,
  }
}
