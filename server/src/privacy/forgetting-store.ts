import type { Control, Sql } from '../store/control.ts'
import type { SubjectRow } from './store.ts'

/** The values by which people call the person: what identifiers hold, as they were normalised. */
export function selectValues(
  sql: Sql,
  workspaceId: string,
  bornIds: readonly string[],
): Promise<{ born_id: string; value: string | null }[]> {
  return sql.query('SELECT born_id, value FROM identifiers WHERE workspace_id = $1 AND born_id = ANY($2)', [
    workspaceId,
    bornIds,
  ])
}

/** Traits under which vendors know people, too. */
export async function selectContacts(
  sql: Sql,
  workspaceId: string,
  bornIds: readonly string[],
): Promise<string[]> {
  const rows = await sql.query<{ value: string | null }>(
    `SELECT DISTINCT value #>> '{}' AS value FROM known_traits
     WHERE workspace_id = $1 AND born_id = ANY($2) AND lower(key) IN ('email', 'phone')
       AND json_typeof(value) = 'string'`,
    [workspaceId, bornIds],
  )
  return rows.flatMap((row) => row.value || [])
}

/** Everybody who was forgotten lately, by workspace. */
export async function selectForgotten(sql: Sql, since: Date): Promise<Map<string, string[]>> {
  const rows = await sql.query<{ workspace_id: string; born_id: string }>(
    'SELECT workspace_id, born_id FROM identity_suppressions WHERE created_at >= $1',
    [since],
  )
  const byWorkspace = Map.groupBy(rows, (row) => row.workspace_id)
  return new Map([...byWorkspace].map(([id, own]) => [id, own.map((row) => row.born_id)]))
}

/** Rows of the identity room: identifiers, traits, links, and entries of the ledger that tell of the person. */
export async function countIdentity(
  sql: Sql,
  workspaceId: string,
  bornIds: readonly string[],
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `SELECT ((SELECT count(*) FROM identifiers WHERE workspace_id = $1 AND born_id = ANY($2))
           + (SELECT count(*) FROM known_traits WHERE workspace_id = $1 AND born_id = ANY($2))
           + (SELECT count(*) FROM identity_links WHERE workspace_id = $1 AND (a = ANY($2) OR b = ANY($2)))
           + (SELECT count(*) FROM identity_ledger WHERE workspace_id = $1 AND salt IS NOT NULL
                AND (a = ANY($2) OR b = ANY($2) OR survivor_id = ANY($2) OR absorbed_id = ANY($2))))::float8 AS count`,
    [workspaceId, bornIds],
  )
  return row?.count ?? 0
}

export async function countReplays(
  sql: Sql,
  workspaceId: string,
  bornIds: readonly string[],
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM replays WHERE workspace_id = $1 AND born_ids && $2::text[]',
    [workspaceId, bornIds],
  )
  return row?.count ?? 0
}

export type TextRow = { id: string; text: string }

const holdsAny = (column: string) =>
  `EXISTS (SELECT 1 FROM unnest($2::text[]) AS needle WHERE position(needle IN lower(${column})) > 0)`

/** Deliveries whose payload is kept and holds one of these texts somewhere. */
export function selectPayloads(
  sql: Sql,
  workspaceId: string,
  needles: readonly string[],
): Promise<TextRow[]> {
  return sql.query<TextRow>(
    `SELECT id, payload AS text FROM webhook_deliveries
     WHERE workspace_id = $1 AND payload IS NOT NULL AND ${holdsAny('payload')}`,
    [workspaceId, needles],
  )
}

/** What came stays known as having come, so that the vendor's next try does not bring it back. */
export async function emptyPayloads(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query(
    `UPDATE webhook_deliveries
     SET payload = NULL, reason = 'forgotten', due_at = NULL, waits_for = NULL,
         status = CASE WHEN status = 'waiting' THEN 'unmapped' ELSE status END
     WHERE id = ANY($1)`,
    [ids],
  )
}

/** What is remembered between deliveries; the id is the connection's and the key. */
export function selectMemories(
  sql: Sql,
  workspaceId: string,
  needles: readonly string[],
): Promise<TextRow[]> {
  return sql.query<TextRow>(
    `SELECT memory.connection_id || ' ' || memory.key AS id, memory.memory::text AS text
     FROM webhook_memory AS memory JOIN webhook_connections AS connection ON connection.id = memory.connection_id
     WHERE connection.workspace_id = $1 AND ${holdsAny('memory.memory::text')}`,
    [workspaceId, needles],
  )
}

export async function deleteMemories(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query(`DELETE FROM webhook_memory WHERE connection_id || ' ' || key = ANY($1)`, [ids])
}

/** Entries of the audit log that say something of the person. */
export function selectAuditEntries(
  sql: Sql,
  workspaceId: string,
  needles: readonly string[],
): Promise<TextRow[]> {
  return sql.query<TextRow>(
    `SELECT id, json_build_array(object_id, details)::text AS text FROM audit_log
     WHERE workspace_id = $1 AND (${holdsAny('details::text')} OR ${holdsAny('object_id')})`,
    [workspaceId, needles],
  )
}

/** Who did what and when stays. */
export async function emptyAuditEntries(
  control: Control,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  await control.transaction(async (sql) => {
    await sql.query("SELECT set_config('assay.forgetting_workspace', $1, true)", [workspaceId])
    await sql.query(`UPDATE audit_log SET details = '{}', object_id = '' WHERE id = ANY($1)`, [ids])
  })
}

export type EarlierRow = { id: string; type: string; subject: SubjectRow; subject_request_id: string | null }

/** Requests of the workspace, by whom they were about. */
export function selectSubjectsAsked(sql: Sql, workspaceId: string): Promise<EarlierRow[]> {
  return sql.query<EarlierRow>(
    `SELECT id, type, subject, subject_request_id FROM subject_requests
     WHERE workspace_id = $1 AND subject::text <> $2`,
    [workspaceId, JSON.stringify(nobody)],
  )
}

export const nobody: SubjectRow = { person_id: null, identifiers: [] }

/** What was asked and when stays. The caller's own id goes where it names the person. */
export async function emptySubject(sql: Sql, id: string, keepsCallerId: boolean): Promise<void> {
  await sql.query(
    `UPDATE subject_requests
     SET subject = $2, subject_request_id = CASE WHEN $3 THEN subject_request_id ELSE NULL END WHERE id = $1`,
    [id, JSON.stringify(nobody), keepsCallerId],
  )
}

/** An archive that was taken away is not offered any more. */
export async function emptyExport(sql: Sql, id: string): Promise<void> {
  await sql.query(`UPDATE subject_requests SET result = NULL WHERE id = $1 AND type = 'export'`, [id])
}

/** Columns by which a table is known to hold something of people, or what was sent as it came. */
const telling = [
  'born_id',
  'born_ids',
  'person_id',
  'person_key',
  'anonymous_id',
  'subject_id',
  'survivor_id',
  'entry_id',
  'replay_id',
  'subject',
  'body',
  'payload',
  'memory',
  'details',
]

/** Asked of the store itself, so that a table that is added later is not forgotten. */
async function selectTables(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `SELECT DISTINCT tables.table_name AS name FROM information_schema.tables AS tables
     JOIN information_schema.columns AS columns USING (table_schema, table_name)
     WHERE tables.table_schema = 'public' AND tables.table_type = 'BASE TABLE' AND columns.column_name = ANY($1)`,
    [telling],
  )
  return rows.map((row) => row.name)
}

/**
 * Rows that were deleted or changed lie in the files until these are written anew, and so does the journal. Both belong
 * to this process where the store is embedded. On a server only dead rows are cleared: its journal, its copies and its
 * backups are its operator's, and to write tables anew would stop everybody.
 */
export async function clearControlFiles(control: Control): Promise<void> {
  const how = control.shared ? 'VACUUM' : 'VACUUM FULL'
  for (const table of await selectTables(control)) await control.script(`${how} "${table}"`)
  if (control.shared) return
  // A journal file that is no longer needed would be used again, with what it held before behind the end.
  await control.script('SET wal_recycle = off')
  await control.script('SELECT pg_switch_wal()')
  await control.script('CHECKPOINT')
}
