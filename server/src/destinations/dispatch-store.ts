import type { Dispatch, SendStatus } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type DispatchRow = {
  id: string
  workspace_id: string
  destination_id: string
  /** Identifies its content; it is sent once to each destination. */
  subject: string
  kind: Dispatch['kind']
  type: string
  /** Whose turn it takes; empty where no order matters. */
  person_id: string
  body: string
  status: SendStatus
  attempts: number
  response_status: number | null
  error: string | null
  created_at: Date
  retry_until: Date
  next_at: Date | null
  delivered_at: Date | null
}

export type NewDispatch = Pick<
  DispatchRow,
  'id' | 'workspace_id' | 'destination_id' | 'subject' | 'kind' | 'type' | 'person_id' | 'body'
>

const columns = `id, workspace_id, destination_id, subject, kind, type, person_id, body, status, attempts,
  response_status, error, created_at, retry_until, next_at, delivered_at`

/** In the order given. What is there already, because a segment is loaded again, stays as it is. */
export async function insertDispatches(
  sql: Sql,
  rows: readonly NewDispatch[],
  { at, dueAt = at, until }: { at: Date; dueAt?: Date; until: Date },
): Promise<void> {
  const column = <Name extends keyof NewDispatch>(name: Name) => rows.map((row) => row[name])
  await sql.query(
    `INSERT INTO dispatches (${columns}, queued_at)
     SELECT n.id, n.workspace_id, n.destination_id, n.subject, n.kind, n.type, n.person_id, n.body, 'pending', 0,
       NULL, NULL, $9, $10, $11, NULL, $9
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       WITH ORDINALITY AS n (id, workspace_id, destination_id, subject, kind, type, person_id, body, place)
     JOIN destinations AS d ON d.id = n.destination_id
     ORDER BY n.place
     ON CONFLICT (destination_id, subject) DO NOTHING`,
    [
      column('id'),
      column('workspace_id'),
      column('destination_id'),
      column('subject'),
      column('kind'),
      column('type'),
      column('person_id'),
      column('body'),
      at,
      until,
      dueAt,
    ],
  )
}

export async function selectDueDestinations(sql: Sql, at: Date): Promise<string[]> {
  const rows = await sql.query<{ destination_id: string }>(
    `SELECT DISTINCT d.destination_id FROM dispatches AS d JOIN destinations AS t ON t.id = d.destination_id
     WHERE d.status = 'pending' AND d.next_at <= $1 AND t.status = 'active'`,
    [at],
  )
  return rows.map((row) => row.destination_id)
}

/**
 * Due dispatches, for each person only the oldest. They become due again after `until`, in case the worker
 * dies; until then nothing later of the same person is due.
 */
export function takeDispatches(
  sql: Sql,
  destinationId: string,
  at: Date,
  until: Date,
  most: number,
): Promise<DispatchRow[]> {
  return sql.query<DispatchRow>(
    `UPDATE dispatches SET attempts = attempts + 1, next_at = $3
     WHERE id IN (
       SELECT id FROM dispatches AS d
       WHERE destination_id = $1 AND status = 'pending' AND next_at <= $2 AND (person_id = '' OR NOT EXISTS (
         SELECT 1 FROM dispatches AS earlier
         WHERE earlier.destination_id = d.destination_id AND earlier.person_id = d.person_id
           AND earlier.status = 'pending' AND earlier.position < d.position))
       ORDER BY position LIMIT $4 FOR UPDATE SKIP LOCKED)
     RETURNING ${columns}`,
    [destinationId, at, until, most],
  )
}

export async function finishDispatch(
  sql: Sql,
  id: string,
  to: Pick<DispatchRow, 'status' | 'response_status' | 'error' | 'next_at' | 'delivered_at'>,
): Promise<void> {
  await sql.query(
    `UPDATE dispatches SET status = $2, response_status = $3, error = $4, next_at = $5, delivered_at = $6
     WHERE id = $1`,
    [id, to.status, to.response_status, to.error, to.next_at, to.delivered_at],
  )
}

export async function selectDispatch(sql: Sql, id: string): Promise<DispatchRow | null> {
  const [row] = await sql.query<DispatchRow>(`SELECT ${columns} FROM dispatches WHERE id = $1`, [id])
  return row ?? null
}

export function selectDispatches(
  sql: Sql,
  destinationId: string,
  status: SendStatus | null,
  before: string | null,
  limit: number,
): Promise<DispatchRow[]> {
  return sql.query<DispatchRow>(
    `SELECT ${columns} FROM dispatches
     WHERE destination_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [destinationId, status, before, limit],
  )
}

export type Waiting = { destination_id: string; pending: number; dead: number }

export function countDispatches(sql: Sql, workspaceId: string): Promise<Waiting[]> {
  return sql.query<Waiting>(
    `SELECT destination_id, (count(*) FILTER (WHERE status = 'pending'))::int AS pending,
       (count(*) FILTER (WHERE status = 'dead'))::int AS dead
     FROM dispatches WHERE workspace_id = $1 GROUP BY destination_id`,
    [workspaceId],
  )
}

/** One of them, or all that were given up; they take their place behind what waits. */
export async function putBackDispatches(
  sql: Sql,
  destinationId: string,
  id: string | null,
  at: Date,
  until: Date,
): Promise<number> {
  const rows = await sql.query(
    `UPDATE dispatches SET status = 'pending', attempts = 0, next_at = $3, retry_until = $4, delivered_at = NULL,
       queued_at = $3
     WHERE destination_id = $1 AND (id = $2 OR ($2::text IS NULL AND status = 'dead'))
     RETURNING id`,
    [destinationId, id, at, until],
  )
  return rows.length
}

export async function deleteOldDispatches(sql: Sql, deliveredBefore: Date, madeBefore: Date): Promise<void> {
  await sql.query(
    `DELETE FROM dispatches WHERE (status = 'delivered' AND delivered_at < $1)
       OR (status = 'dead' AND created_at < $2)`,
    [deliveredBefore, madeBefore],
  )
}

export async function selectQueues(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>('SELECT id FROM destinations ORDER BY id')
  return rows.map(({ id }) => id)
}

export type QueuePart = SendStatus

/** The place of the first that is too many, counted from the newest; null where there are not so many. */
export async function selectBorder(
  sql: Sql,
  destinationId: string,
  part: QueuePart,
  most: number,
): Promise<number | null> {
  const [row] = await sql.query<{ position: number }>(
    `SELECT position::float8 AS position FROM dispatches WHERE destination_id = $1 AND status = $2
     ORDER BY position DESC OFFSET $3 LIMIT 1`,
    [destinationId, part, most],
  )
  return row?.position ?? null
}

/** Up to a place in the queue, the oldest first, a portion at a time. Answers how many. */
export async function giveUpOldest(
  sql: Sql,
  destinationId: string,
  border: number,
  { reason, rows }: { reason: string; rows: number },
): Promise<number> {
  const given = await sql.query(
    `UPDATE dispatches SET status = 'dead', error = $3, next_at = NULL
     WHERE id IN (
       SELECT id FROM dispatches WHERE destination_id = $1 AND status = 'pending' AND position <= $2
       ORDER BY position LIMIT $4)
     RETURNING id`,
    [destinationId, border, reason, rows],
  )
  return given.length
}

/** What waits too long, among the oldest that wait. Answers how many. */
export async function giveUpOverdue(
  sql: Sql,
  destinationId: string,
  { queuedBefore, reason, headRows }: { queuedBefore: Date; reason: string; headRows: number },
): Promise<number> {
  const given = await sql.query(
    `UPDATE dispatches SET status = 'dead', error = $3, next_at = NULL
     WHERE queued_at < $2 AND id IN (
       SELECT id FROM dispatches WHERE destination_id = $1 AND status = 'pending' ORDER BY position LIMIT $4)
     RETURNING id`,
    [destinationId, queuedBefore, reason, headRows],
  )
  return given.length
}

export async function deleteOldest(
  sql: Sql,
  destinationId: string,
  part: QueuePart,
  border: number,
  rows: number,
): Promise<number> {
  const deleted = await sql.query(
    `DELETE FROM dispatches WHERE id IN (
       SELECT id FROM dispatches WHERE destination_id = $1 AND status = $2 AND position <= $3
       ORDER BY position LIMIT $4)
     RETURNING id`,
    [destinationId, part, border, rows],
  )
  return deleted.length
}
