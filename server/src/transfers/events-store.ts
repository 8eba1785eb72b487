import type { Events, EventsRow } from '../store/events.ts'
import type { EventsTable } from './tables.ts'

/** Some 20 MB of events as text. */
const pageRows = 10_000

/** Numbers that JavaScript would round are written as text. */
const settings = 'SETTINGS output_format_json_quote_64bit_integers = 1, output_format_json_quote_decimals = 1'

const rowsOf = ({ byGeneration }: EventsTable) =>
  byGeneration === true ? 'generation IN {generations:Array(String)}' : 'workspace_id = {workspaceId:String}'

type Whose = { workspaceId: string; generations: readonly string[] }

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
 * The same rows may come again after a try that was undone, and must not be taken for a repeat then. A token that never
 * was says so to every version; `insert_deduplicate = 0` means nothing where `deduplicate_insert` decides.
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
  const [row] = await events.query<{ name: string }>('SELECT max(name) AS name FROM migrations')
  return row?.name ?? ''
}
