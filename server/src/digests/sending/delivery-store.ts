import type { Sql } from '../../store/control.ts'
import type { Days } from './schedule.ts'

export type DeliveryRow = {
  workspace_id: string
  id: string
  digest_id: string
  recipient_id: string
  period_from: string
  period_to: string
  status: 'pending' | 'sent' | 'dead'
  attempts: number
  retry_until: Date
}

const columns =
  'workspace_id, id, digest_id, recipient_id, period_from, period_to, status, attempts, retry_until'

type DigestKey = { workspaceId: string; digestId: string }

/** A delivery for each subscriber, unless there is one of this period. Pending ones of other periods are cancelled. */
export async function insertDeliveries(
  sql: Sql,
  { workspaceId, digestId }: DigestKey,
  { from, to }: Days,
  { at, until, newId }: { at: Date; until: Date; newId: () => string },
): Promise<void> {
  await sql.query(
    `UPDATE digest_deliveries SET status = 'dead', error = 'A later one took its place.'
     WHERE workspace_id = $1 AND digest_id = $2 AND status = 'pending' AND (period_from, period_to) <> ($3, $4)`,
    [workspaceId, digestId, from, to],
  )
  const active = await sql.query<{ id: string }>(
    'SELECT id FROM digest_recipients WHERE workspace_id = $1 AND digest_id = $2 AND is_active ORDER BY id',
    [workspaceId, digestId],
  )
  await sql.query(
    `INSERT INTO digest_deliveries (${columns}, next_at, created_at)
     SELECT $1, n.id, $2, n.recipient_id, $3, $4, 'pending', 0, $5, $6, $6
     FROM unnest($7::text[], $8::text[]) AS n (id, recipient_id)
     ON CONFLICT (workspace_id, recipient_id, period_from, period_to) DO NOTHING`,
    [workspaceId, digestId, from, to, until, at, active.map(() => newId()), active.map(({ id }) => id)],
  )
}

export async function deletePending(sql: Sql, { workspaceId, digestId }: DigestKey): Promise<void> {
  await sql.query(
    `DELETE FROM digest_deliveries WHERE workspace_id = $1 AND digest_id = $2 AND status = 'pending'`,
    [workspaceId, digestId],
  )
}

export async function selectWaiting(sql: Sql, at: Date, rows: number): Promise<DigestKey[]> {
  const found = await sql.query<{ workspace_id: string; digest_id: string }>(
    `SELECT workspace_id, digest_id FROM digest_deliveries WHERE status = 'pending' AND next_at <= $1
     GROUP BY workspace_id, digest_id ORDER BY min(next_at) LIMIT $2`,
    [at, rows],
  )
  return found.map((row) => ({ workspaceId: row.workspace_id, digestId: row.digest_id }))
}

/** Those of a digest that are due. They are due again after `until`, in case the node dies. */
export function takeDeliveries(
  sql: Sql,
  { workspaceId, digestId }: DigestKey,
  { at, until, most }: { at: Date; until: Date; most: number },
): Promise<DeliveryRow[]> {
  return sql.query<DeliveryRow>(
    `UPDATE digest_deliveries SET attempts = attempts + 1, next_at = $4
     WHERE workspace_id = $1 AND id IN (
       SELECT id FROM digest_deliveries
       WHERE workspace_id = $1 AND digest_id = $2 AND status = 'pending' AND next_at <= $3
       ORDER BY id LIMIT $5 FOR UPDATE SKIP LOCKED)
     RETURNING ${columns}`,
    [workspaceId, digestId, at, until, most],
  )
}

/**
 * The address, right before it is written to, with a new lease; null where the lease was over and another node took it,
 * or the recipient unsubscribed.
 */
export async function renewDelivery(
  sql: Sql,
  { workspace_id, id, attempts }: DeliveryRow,
  until: Date,
): Promise<string | null> {
  const [row] = await sql.query<{ email: string }>(
    `UPDATE digest_deliveries AS d SET next_at = $4 FROM digest_recipients AS r
     WHERE d.workspace_id = $1 AND d.id = $2 AND d.status = 'pending' AND d.attempts = $3
       AND r.workspace_id = d.workspace_id AND r.id = d.recipient_id AND r.is_active
     RETURNING r.email`,
    [workspace_id, id, attempts, until],
  )
  return row?.email ?? null
}

type Ending = { status: DeliveryRow['status']; error: string | null; nextAt: Date; endedAt: Date }

/** With what the recipient's list says about it. */
export async function finishDelivery(sql: Sql, row: DeliveryRow, ending: Ending): Promise<void> {
  const { status, error, nextAt, endedAt } = ending
  await sql.query(
    `UPDATE digest_deliveries SET status = $4, error = $5, next_at = $6
     WHERE workspace_id = $1 AND id = $2 AND status = 'pending' AND attempts = $3`,
    [row.workspace_id, row.id, row.attempts, status, error, nextAt],
  )
  await sql.query(
    `UPDATE digest_recipients SET last_error = $3, last_sent_at = COALESCE($4, last_sent_at)
     WHERE workspace_id = $1 AND id = $2`,
    [row.workspace_id, row.recipient_id, error, status === 'sent' ? endedAt : null],
  )
}

/** Given back without an attempt, since the process stops. */
export async function releaseDelivery(
  sql: Sql,
  { workspace_id, id, attempts }: DeliveryRow,
  at: Date,
): Promise<void> {
  await sql.query(
    `UPDATE digest_deliveries SET attempts = attempts - 1, next_at = $4
     WHERE workspace_id = $1 AND id = $2 AND status = 'pending' AND attempts = $3`,
    [workspace_id, id, attempts, at],
  )
}

export async function deleteOldDeliveries(sql: Sql, before: Date): Promise<void> {
  await sql.query(`DELETE FROM digest_deliveries WHERE status <> 'pending' AND created_at < $1`, [before])
}
