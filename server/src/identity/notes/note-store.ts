import type { Sql } from '../../store/control.ts'

export type NoteRow = { id: string; original_id: string; text: string; author: string; created_at: Date }

export async function insertNote(sql: Sql, workspaceId: string, row: NoteRow): Promise<void> {
  await sql.query(
    `INSERT INTO person_notes (workspace_id, id, original_id, text, author, created_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [workspaceId, row.id, row.original_id, row.text, row.author, row.created_at],
  )
}

/** Newest first: an id begins with the time at which it was made. */
export function selectNotes(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
  beforeId: string | null,
  rows: number,
): Promise<NoteRow[]> {
  return sql.query<NoteRow>(
    `SELECT id, original_id, text, author, created_at FROM person_notes
     WHERE workspace_id = $1 AND original_id = ANY($2) AND ($3::text IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [workspaceId, originalIds, beforeId, rows],
  )
}

export async function countNotes(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::float8 AS count FROM person_notes WHERE workspace_id = $1 AND original_id = ANY($2)',
    [workspaceId, originalIds],
  )
  return row?.count ?? 0
}

/** Whether there was such a note on the person. */
export async function deleteNote(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
  id: string,
): Promise<boolean> {
  const rows = await sql.query(
    'DELETE FROM person_notes WHERE workspace_id = $1 AND original_id = ANY($2) AND id = $3 RETURNING 1',
    [workspaceId, originalIds, id],
  )
  return rows.length > 0
}

export async function deleteNotesOf(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<void> {
  await sql.query('DELETE FROM person_notes WHERE workspace_id = $1 AND original_id = ANY($2)', [
    workspaceId,
    originalIds,
  ])
}

/**
 * Deletes notes that are older than every site of their workspace keeps events, as of a time; where one site keeps
 * them forever, none is. Returns how many there were.
 */
export async function deleteOldNotes(sql: Sql, now: Date, rows: number): Promise<number> {
  const deleted = await sql.query(
    `DELETE FROM person_notes WHERE (workspace_id, id) IN (
       SELECT note.workspace_id, note.id FROM (
         SELECT workspace_id, max(event_retention_days) AS days FROM sites
         GROUP BY workspace_id HAVING bool_and(event_retention_days IS NOT NULL)) AS kept
       JOIN person_notes AS note ON note.workspace_id = kept.workspace_id
         AND note.created_at < $1::timestamptz - make_interval(days => kept.days)
       LIMIT $2)
     RETURNING 1`,
    [now, rows],
  )
  return deleted.length
}

export type NoteSubject = { workspace_id: string; original_id: string }

/**
 * People with notes from before a time whom only events can show, where a site removes events; in an order, after one
 * of them.
 */
export function selectUnidentified(
  sql: Sql,
  before: Date,
  after: NoteSubject,
  rows: number,
): Promise<NoteSubject[]> {
  return sql.query<NoteSubject>(
    `SELECT DISTINCT note.workspace_id, note.original_id FROM person_notes AS note
     WHERE (note.workspace_id, note.original_id) > ($2, $3) AND note.created_at < $1
       AND EXISTS (SELECT 1 FROM sites
                   WHERE sites.workspace_id = note.workspace_id AND event_retention_days IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM identifiers
                       WHERE identifiers.workspace_id = note.workspace_id
                         AND identifiers.original_id = note.original_id)
     ORDER BY note.workspace_id, note.original_id LIMIT $4`,
    [before, after.workspace_id, after.original_id, rows],
  )
}

/** Unless they became known meanwhile. */
export async function deleteUnidentified(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
  before: Date,
): Promise<void> {
  await sql.query(
    `DELETE FROM person_notes
     WHERE workspace_id = $1 AND original_id = ANY($2) AND created_at < $3
       AND NOT EXISTS (SELECT 1 FROM identifiers
                       WHERE identifiers.workspace_id = $1
                         AND identifiers.original_id = person_notes.original_id)`,
    [workspaceId, originalIds, before],
  )
}
