import type { Events } from './events.ts'
import type { DataSubject, EventsRows, StoredPlace } from './personal-data.ts'

const ofWorkspace = 'workspace_id = {workspaceId:String}'

/** How many rows there are of the person in each of these, in one statement. */
export async function countEventsRows(
  events: Events,
  wanted: ReadonlyMap<string, EventsRows>,
  { list, workspaceId }: Pick<DataSubject, 'list' | 'workspaceId'>,
): Promise<Map<string, number>> {
  if (wanted.size === 0) return new Map()
  const counts = [...wanted].map(
    ([name, { table, where }]) =>
      `SELECT '${name}' AS name, count() AS rows FROM ${table} WHERE ${ofWorkspace} AND (${where(list)})`,
  )
  const rows = await events.query<{ name: string; rows: string | number }>(counts.join('\nUNION ALL\n'), {
    workspaceId,
  })
  return new Map(rows.map(({ name, rows: count }) => [name, Number(count)]))
}

/** Changes rows of the person in every part; what was there before is replaced when it resolves. */
export async function rewriteRows(
  events: Events,
  { table, where }: EventsRows,
  change: string,
  { list, workspaceId }: Pick<DataSubject, 'list' | 'workspaceId'>,
): Promise<void> {
  await events.command(
    `ALTER TABLE ${table} ${change} WHERE ${ofWorkspace} AND (${where(list)}) SETTINGS mutations_sync = 2`,
    { workspaceId },
  )
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
): StoredPlace {
  const rows = { table, where }
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
