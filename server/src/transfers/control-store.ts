import { isId } from '../platform/clock.ts'
import type { Sql } from '../store/control.ts'
import type { ControlTable } from './tables.ts'

type Column = { name: string; type: string }
/** Everything as text, as Postgres writes it. */
export type TextRow = Record<string, string | null>

/** First in a transaction: all that it reads is of one moment. */
export async function beginSnapshot(sql: Sql): Promise<void> {
  await sql.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
}

export function selectColumns(sql: Sql, table: string): Promise<Column[]> {
  return sql.query<Column>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  )
}

const ofWorkspace = ({ through }: ControlTable) =>
  through === undefined
    ? 'workspace_id = $1'
    : `${through.column} IN (SELECT id FROM ${through.table} WHERE workspace_id = $1)`

const rowsOf = (table: ControlTable) =>
  `${ofWorkspace(table)}${table.only === undefined ? '' : ` AND ${table.only}`}`

/** In pages, within a transaction. */
export async function* readTable(
  sql: Sql,
  table: ControlTable,
  columns: readonly Column[],
  workspaceId: string,
  pageRows: number,
): AsyncGenerator<TextRow[]> {
  const listed = columns.map(({ name }) =>
    table.emptied?.includes(name) ? `'' AS "${name}"` : `"${name}"::text AS "${name}"`,
  )
  // A cursor takes no parameters here, so nothing but an id of ours is put into the statement.
  if (!isId('ws', workspaceId)) throw new Error('a workspace is named by an id of ours')
  const where = rowsOf(table).replace('$1', `'${workspaceId}'`)
  // By the column itself: its bare name would mean the text that is selected, and put 10 before 2.
  const order = table.order.split(', ').map((column) => `${table.name}."${column}"`)
  await sql.query(
    `DECLARE travelling NO SCROLL CURSOR FOR
     SELECT ${listed.join(', ')} FROM ${table.name} WHERE ${where} ORDER BY ${order.join(', ')}`,
  )
  for (;;) {
    const rows = await sql.query<TextRow>(`FETCH ${pageRows} FROM travelling`)
    if (rows.length > 0) yield rows
    if (rows.length < pageRows) break
  }
  await sql.query('CLOSE travelling')
}

export async function hasRows(sql: Sql, table: ControlTable, workspaceId: string): Promise<boolean> {
  const rows = await sql.query(`SELECT 1 FROM ${table.name} WHERE ${ofWorkspace(table)} LIMIT 1`, [
    workspaceId,
  ])
  return rows.length > 0
}

export async function deleteRows(sql: Sql, table: ControlTable, workspaceId: string): Promise<void> {
  await sql.query(`DELETE FROM ${table.name} WHERE ${ofWorkspace(table)}`, [workspaceId])
}

/** Every value is given as text, one list a column, and read by the type of the column. */
export async function insertTextRows(
  sql: Sql,
  table: string,
  columns: readonly Column[],
  rows: readonly TextRow[],
): Promise<void> {
  const names = columns.map(({ name }) => `"${name}"`)
  const lists = columns.map((_, at) => `$${at + 1}::text[]`)
  const typed = columns.map(({ name, type }) => `given."${name}"::${type}`)
  await sql.query(
    `INSERT INTO ${table} (${names.join(', ')})
     SELECT ${typed.join(', ')} FROM unnest(${lists.join(', ')}) WITH ORDINALITY AS given(${names.join(', ')}, nth)
     ORDER BY given.nth`,
    columns.map(({ name }) => rows.map((row) => row[name] ?? null)),
  )
}

export async function selectWorkspaceName(sql: Sql, workspaceId: string): Promise<string> {
  const [row] = await sql.query<{ name: string }>('SELECT name FROM workspaces WHERE id = $1', [workspaceId])
  return row?.name ?? ''
}

/** What says which rows of the events store count; it must not change while they are read. */
export async function selectPointers(sql: Sql, workspaceId: string): Promise<string> {
  const [row] = await sql.query<{ pointers: string }>(
    `SELECT md5(coalesce((SELECT string_agg(o::text, ' ' ORDER BY site_id) FROM site_overlays o
                          WHERE workspace_id = $1), '') ||
                coalesce((SELECT string_agg(d::text, ' ' ORDER BY day) FROM attribution_days d
                          WHERE workspace_id = $1), '')) AS pointers`,
    [workspaceId],
  )
  return row?.pointers ?? ''
}

/** What rows of the events store may belong to. */
export async function selectReferred(
  sql: Sql,
  workspaceId: string,
): Promise<Record<'generations' | 'backfills' | 'audiences', string[]>> {
  const [row] = await sql.query<Record<'generations' | 'backfills' | 'audiences', string[]>>(
    `SELECT ARRAY(SELECT DISTINCT name FROM site_overlays, unnest(ARRAY[generation, previous, next]) AS name
                  WHERE workspace_id = $1 AND name <> '') AS generations,
            ARRAY(SELECT id FROM mapping_backfills WHERE workspace_id = $1) AS backfills,
            ARRAY(SELECT id FROM audiences WHERE workspace_id = $1) AS audiences`,
    [workspaceId],
  )
  return row ?? { generations: [], backfills: [], audiences: [] }
}

export async function selectLastMigration(sql: Sql): Promise<string> {
  const [row] = await sql.query<{ name: string }>('SELECT max(name) AS name FROM migrations')
  return row?.name ?? ''
}
