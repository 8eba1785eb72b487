import type { Sql } from '../store/control.ts'
import { mayHold, type SelectTexts, type TextRow } from '../store/people/person-text-table.ts'
import type { SubjectRow } from './requests/store.ts'

export type AskedRow = {
  id: string
  type: string
  status: string
  regime: string
  received_at: Date
  subject: SubjectRow
  subject_request_id: string | null
}

const nobody = JSON.stringify({ person_id: null, identifiers: [] } satisfies SubjectRow)

/** Requests of the workspace that still say whom they are about. */
export function selectAsked(sql: Sql, workspaceId: string, after: string, rows: number): Promise<AskedRow[]> {
  return sql.query<AskedRow>(
    `SELECT id, type, status, regime, received_at, subject, subject_request_id FROM subject_requests
     WHERE workspace_id = $1 AND subject::text <> $2 AND id > $3 ORDER BY id LIMIT $4`,
    [workspaceId, nobody, after, rows],
  )
}

/** What was asked and when stays. The caller's own id goes where it names the person. */
export async function emptySubjects(
  sql: Sql,
  workspaceId: string,
  ids: readonly string[],
  idsNaming: readonly string[],
): Promise<void> {
  await sql.query(
    `UPDATE subject_requests
     SET subject = $3, subject_request_id = CASE WHEN id = ANY($4) THEN NULL ELSE subject_request_id END
     WHERE workspace_id = $1 AND id = ANY($2)`,
    [workspaceId, ids, nobody, idsNaming],
  )
}

/** An archive that was taken away is not offered any more. */
export async function emptyExports(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql.query(
    `UPDATE subject_requests SET result = NULL WHERE workspace_id = $1 AND type = 'export' AND id = ANY($2)`,
    [workspaceId, ids],
  )
}

/** Those of these requests whose archive is offered or being written. */
export async function selectOffered(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT id FROM subject_requests
     WHERE id = ANY($1) AND (result IS NOT NULL OR status IN ('pending', 'in_progress'))`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** Changes of status that are still to be sent, by what is to be sent. */
export const selectCallbackTexts: SelectTexts<TextRow> = (sql, page) =>
  sql.query<TextRow>(
    `SELECT callback.id, callback.body AS text FROM subject_request_callbacks AS callback
     JOIN subject_requests AS request ON request.id = callback.request_id
     WHERE request.workspace_id = $1 AND ${mayHold('callback.body')} AND callback.id > $3
     ORDER BY callback.id LIMIT $4`,
    page,
  )

/** The status is sent all the same, without the caller's own id, which names the person. */
export async function updateCallbackBody(
  sql: Sql,
  workspaceId: string,
  id: string,
  body: string,
): Promise<void> {
  await sql.query(
    `UPDATE subject_request_callbacks AS callback SET body = $3 FROM subject_requests AS request
     WHERE request.id = callback.request_id AND request.workspace_id = $1 AND callback.id = $2`,
    [workspaceId, id, body],
  )
}

/** Everyone who was erased recently, by workspace. */
export async function selectForgotten(sql: Sql, since: Date): Promise<Map<string, string[]>> {
  const rows = await sql.query<{ workspace_id: string; original_id: string }>(
    'SELECT workspace_id, original_id FROM identity_suppressions WHERE created_at >= $1',
    [since],
  )
  const byWorkspace = Map.groupBy(rows, (row) => row.workspace_id)
  return new Map([...byWorkspace].map(([id, own]) => [id, own.map((row) => row.original_id)]))
}
