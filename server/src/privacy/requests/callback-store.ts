import type { Sql } from '../../store/control.ts'

type CallbackRow = { id: string; url: string; body: string; attempts: number; created_at: Date }

export async function insertCallback(
  sql: Sql,
  row: { id: string; requestId: string; url: string; body: string; at: Date },
): Promise<void> {
  await sql.query(
    `INSERT INTO subject_request_callbacks (id, request_id, url, body, next_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $5)`,
    [row.id, row.requestId, row.url, row.body, row.at],
  )
}

/** Due callbacks. They become due again after `until`, in case the worker dies. */
export function takeCallbacks(sql: Sql, at: Date, until: Date, rows: number): Promise<CallbackRow[]> {
  return sql.query<CallbackRow>(
    `UPDATE subject_request_callbacks SET attempts = attempts + 1, next_at = $2
     WHERE id IN (
       SELECT id FROM subject_request_callbacks WHERE next_at <= $1
       ORDER BY next_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING id, url, body, attempts, created_at`,
    [at, until, rows],
  )
}

export async function deleteCallback(sql: Sql, id: string): Promise<void> {
  await sql.query('DELETE FROM subject_request_callbacks WHERE id = $1', [id])
}

export async function postponeCallback(sql: Sql, id: string, nextAt: Date): Promise<void> {
  await sql.query('UPDATE subject_request_callbacks SET next_at = $2 WHERE id = $1', [id, nextAt])
}
