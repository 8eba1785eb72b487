import { eventColumnList } from '../store/event-columns.ts'
import type { Events, EventsRow } from '../store/events.ts'
import { identityPrefix } from '../store/events-home.ts'
import type { EventsTable } from './tables.ts'

/** Some 20 MB of events as text. */
const pageRows = 10_000

/** Numbers that JavaScript would round are written as text. */
const settings = 'SETTINGS output_format_json_quote_64bit_integers = 1, output_format_json_quote_decimals = 1'

/** Rows that nothing refers to any more, such as those of a generation that is on its way out, stay where they are. */
const rowsOf = ({ byGeneration, refersTo }: EventsTable) =>
  [
    ...(byGeneration === true ? [] : ['workspace_id = {workspaceId:String}']),
    ...(refersTo === undefined ? [] : [`${refersTo.column} IN {${refersTo.to}:Array(String)}`]),
  ].join(' AND ')

export type Whose = {
  workspaceId: string
  generations: readonly string[]
  backfills: readonly string[]
  audiences: readonly string[]
}

/** Page by page in the order of a key. Rows with the same key stay together, so that none falls between two pages. */
export async function* readEventsTable(
  events: Events,
  table: EventsTable,
  whose: Whose,
): AsyncGenerator<string[]> {
  const columns = table.key.map(([column]) => column).join(', ')
  const after = `(${columns}) > (${table.key.map(([, type], at) => `{after${at}:${type}}`).join(', ')})`
  let last: Record<string, unknown> | null = null
  for (;;) {
    const params: Record<string, unknown> = { ...whose }
    for (const [at, [column]] of table.key.entries()) if (last !== null) params[`after${at}`] = last[column]
    const bytes = await events.bytes(
      `SELECT * FROM ${table.name} WHERE ${rowsOf(table)} ${last === null ? '' : `AND ${after}`}
       ORDER BY ${columns} LIMIT ${pageRows} WITH TIES ${settings} FORMAT JSONEachRow`,
      params,
    )
    const lines = bytes.toString('utf8').split('\n').filter(Boolean)
    if (lines.length > 0) yield lines
    if (lines.length < pageRows) return
    last = JSON.parse(lines.at(-1) ?? '{}')
  }
}

export async function hasEventsRows(
  events: Events,
  table: EventsTable,
  workspaceId: string,
): Promise<boolean> {
  if (table.byGeneration === true) return false
  const rows = await events.query(
    `SELECT 1 AS one FROM ${table.name} WHERE workspace_id = {workspaceId:String} LIMIT 1`,
    { workspaceId },
  )
  return rows.length > 0
}

/**
 * Rows of an undone import may be inserted again, and must not be dropped as repeats. A new token prevents that in
 * every version; `insert_deduplicate = 0` has no effect where `deduplicate_insert` decides.
 */
export async function insertImported(
  events: Events,
  table: string,
  rows: readonly EventsRow[],
  token: string,
): Promise<void> {
  await events.insertRows(table, rows, {
    insert_deduplication_token: token,
    max_partitions_per_insert_block: 0,
  })
}

export async function selectLastEventsMigration(events: Events): Promise<string> {
  const [row] = await events.query<{ last: string }>(
    'SELECT max(name) AS last FROM migrations WHERE NOT startsWith(name, {prefix:String})',
    { prefix: identityPrefix },
  )
  return row?.last ?? ''
}

type KeyColumn = readonly [key: string, of: string]
const eventKeys = eventColumnList.flatMap(([key, { hashOf }]): KeyColumn[] =>
  hashOf === undefined ? [] : [[key, hashOf]],
)

/** Columns that are hashes of others: a row whose hash is another's would be missed where people are looked for. */
const keyColumns: Readonly<Record<string, readonly KeyColumn[]>> = {
  events: eventKeys,
  overlaid_events: eventKeys,
  person_mapping: [
    ['original_key', 'original_id'],
    ['person_key', 'person_id'],
  ],
  audience_members: [['person_key', 'person_id']],
  attribution_touches: [['person_key', 'person_id']],
}

/** The first of these columns that, in any row, is not the hash of its source. */
export async function selectWrongKey(
  events: Events,
  table: string,
  workspaceId: string,
): Promise<string | null> {
  for (const [key, of] of keyColumns[table] ?? []) {
    const rows = await events.query(
      `SELECT 1 AS one FROM ${table}
       WHERE workspace_id = {workspaceId:String} AND ${key} != cityHash64(${of}) LIMIT 1`,
      { workspaceId },
    )
    if (rows.length > 0) return key
  }
  return null
}
