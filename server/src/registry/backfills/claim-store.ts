import type { Sql } from '../../store/control.ts'
import { type BackfillCounts, type BackfillRow, columns } from './store.ts'

/**
 * Takes the next piece of work, or an abandoned one. Withdrawals come first, because they are short and
 * someone waits. Times are the database's, which all nodes share.
 */
export async function claimNext(sql: Sql, nodeId: string, leaseSeconds: number): Promise<BackfillRow | null> {
  const [row] = await sql.query<BackfillRow>(
    `UPDATE mapping_backfills
     SET claimed_by = $1, claimed_until = now() + make_interval(secs => $2),
         status = CASE WHEN status = 'queued' THEN 'running' ELSE status END
     WHERE id = (
       SELECT id FROM mapping_backfills
       WHERE status IN ('queued', 'running', 'withdrawing') AND (claimed_until < now() OR claimed_by = $1)
       ORDER BY status = 'withdrawing' DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${columns}`,
    [nodeId, leaseSeconds],
  )
  return row ?? null
}

/**
 * False when the claim was lost or the back-fill withdrawn meanwhile: then the page just written is
 * discarded.
 */
export async function saveProgress(
  sql: Sql,
  nodeId: string,
  row: Pick<BackfillRow, 'id' | 'cursor_ms' | 'cursor_id'> & BackfillCounts,
): Promise<boolean> {
  const saved = await sql.query(
    `UPDATE mapping_backfills
     SET judged = $3, events = $4, renamed = $5, refused = $6, codes = $7::json, cursor_ms = $8, cursor_id = $9,
         tries = 0
     WHERE id = $1 AND claimed_by = $2 AND status = 'running' RETURNING id`,
    [
      row.id,
      nodeId,
      row.judged,
      row.events,
      row.renamed,
      row.refused,
      JSON.stringify(row.codes),
      row.cursor_ms,
      row.cursor_id,
    ],
  )
  return saved.length > 0
}

export async function extendClaim(sql: Sql, nodeId: string, id: string, seconds: number): Promise<void> {
  await sql.query(
    `UPDATE mapping_backfills SET claimed_until = now() + make_interval(secs => $3)
     WHERE id = $1 AND claimed_by = $2`,
    [id, nodeId, seconds],
  )
}

/** Lets go of a claim until later, or at once. */
export async function releaseClaim(
  sql: Sql,
  nodeId: string,
  id: string,
  waitSeconds: number,
  tries: number,
): Promise<void> {
  await sql.query(
    `UPDATE mapping_backfills SET claimed_by = '', claimed_until = now() + make_interval(secs => $3), tries = $4
     WHERE id = $1 AND claimed_by = $2`,
    [id, nodeId, waitSeconds, tries],
  )
}

/** False when another node ended it, or it was withdrawn while it ran. */
export async function endBackfill(
  sql: Sql,
  nodeId: string,
  id: string,
  from: 'running' | 'withdrawing',
  to: 'done' | 'failed' | 'withdrawn',
  at: Date,
): Promise<boolean> {
  const ended = await sql.query(
    `UPDATE mapping_backfills SET status = $4, finished_at = $5, claimed_by = '', claimed_until = 'epoch'
     WHERE id = $1 AND claimed_by = $2 AND status = $3 RETURNING id`,
    [id, nodeId, from, to, at],
  )
  return ended.length > 0
}
