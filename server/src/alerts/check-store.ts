import type { Sql } from '../store/control.ts'
import type { AlertState } from './judge/states.ts'
import { type AlertPlace, type AlertRow, alertColumns } from './store.ts'

/** The one that is due longest. It becomes due again after `until`, in case the worker dies. */
export async function takeDueAlert(sql: Sql, at: Date, until: Date): Promise<AlertRow | null> {
  const [row] = await sql.query<AlertRow>(
    `UPDATE alerts SET next_at = $2
     WHERE (workspace_id, id) IN (
       SELECT workspace_id, id FROM alerts WHERE NOT is_paused AND next_at <= $1
       ORDER BY next_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${alertColumns}`,
    [at, until],
  )
  return row ?? null
}

type CheckResult = {
  state: AlertState
  value: number | null
  start: Date
  at: Date
  nextAt: Date
}

/** Null when another node took it, or a member changed it, since it was taken. */
export async function saveCheck(
  sql: Sql,
  taken: Pick<AlertRow, 'workspace_id' | 'id' | 'next_at'>,
  { state, value, start, at, nextAt }: CheckResult,
): Promise<AlertRow | null> {
  const [row] = await sql.query<AlertRow>(
    `UPDATE alerts SET state = $4, last_value = $5, last_start = $6, last_checked_at = $7, next_at = $8,
       last_error = NULL, failures = 0
     WHERE workspace_id = $1 AND id = $2 AND next_at = $3 AND NOT is_paused
     RETURNING ${alertColumns}`,
    [taken.workspace_id, taken.id, taken.next_at, state, value, start, at, nextAt],
  )
  return row ?? null
}

/** A check that gave no value. */
export async function saveFailedCheck(
  sql: Sql,
  taken: Pick<AlertRow, 'workspace_id' | 'id' | 'next_at'>,
  { error, at, nextAt }: { error: string; at: Date; nextAt: Date },
): Promise<void> {
  await sql.query(
    `UPDATE alerts SET last_error = $4, last_checked_at = $5, next_at = $6, failures = failures + 1
     WHERE workspace_id = $1 AND id = $2 AND next_at = $3 AND NOT is_paused`,
    [taken.workspace_id, taken.id, taken.next_at, error, at, nextAt],
  )
}

/** There was nothing to judge yet. */
export async function postponeCheck(
  sql: Sql,
  taken: AlertPlace & Pick<AlertRow, 'next_at'>,
  nextAt: Date,
): Promise<void> {
  await sql.query(
    `UPDATE alerts SET next_at = $4 WHERE workspace_id = $1 AND id = $2 AND next_at = $3 AND NOT is_paused`,
    [taken.workspace_id, taken.id, taken.next_at, nextAt],
  )
}
