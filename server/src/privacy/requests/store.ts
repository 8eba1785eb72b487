import type { ConsentRegime, ForgetMode, SubjectRequestState, SubjectRequestType } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

/** Whom a request is about, as it was asked. */
export type SubjectRow = { person_id: string | null; identifiers: readonly { type: string; value: string }[] }

export type ExportResult = {
  expires_at: string
  bytes: number
  sha256: string
  counts: Readonly<Record<string, number>>
}

export type ForgetResult = {
  mode: ForgetMode
  counts: Readonly<Record<string, number>>
  certificate: string
}

/** How far a forget request is. It names people by keyed hashes only. */
export type ForgetState = {
  originalIds: readonly string[]
  /** Derives session names that cannot be reversed; deleted with the state. */
  salt: string
  steps: Readonly<Record<string, { rows: number; isDone: boolean }>>
}

export type RequestRow = {
  workspace_id: string
  id: string
  type: SubjectRequestType
  status: SubjectRequestState
  regime: ConsentRegime
  subject: SubjectRow
  subject_request_id: string | null
  request_digest: string
  callback_urls: readonly string[]
  requested_by: string
  received_at: Date
  due_at: Date
  started_at: Date | null
  completed_at: Date | null
  step: string
  rows_done: number
  attempts: number
  error: string | null
  result: { export?: ExportResult; forget?: ForgetResult } | null
  mode: ForgetMode | null
  state: ForgetState | null
}

const columns = `workspace_id, id, type, status, regime, subject, subject_request_id, request_digest, callback_urls,
  requested_by, received_at, due_at, started_at, completed_at, step, rows_done::float8 AS rows_done, attempts, error,
  result, mode, state`

type NewRequest = Pick<
  RequestRow,
  | 'workspace_id'
  | 'id'
  | 'type'
  | 'regime'
  | 'subject'
  | 'subject_request_id'
  | 'request_digest'
  | 'callback_urls'
  | 'requested_by'
  | 'received_at'
  | 'due_at'
  | 'mode'
>

/** Null when there is one already under the caller's own id. */
export async function insertRequest(sql: Sql, row: NewRequest): Promise<RequestRow | null> {
  const [inserted] = await sql.query<RequestRow>(
    `INSERT INTO subject_requests (workspace_id, id, type, status, regime, subject, subject_request_id, request_digest,
       callback_urls, requested_by, received_at, due_at, mode)
     VALUES ($1, $2, $3, 'pending', $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT DO NOTHING RETURNING ${columns}`,
    [
      row.workspace_id,
      row.id,
      row.type,
      row.regime,
      JSON.stringify(row.subject),
      row.subject_request_id,
      row.request_digest,
      JSON.stringify(row.callback_urls),
      row.requested_by,
      row.received_at,
      row.due_at,
      row.mode,
    ],
  )
  return inserted ?? null
}

export async function selectRequest(sql: Sql, workspaceId: string, id: string): Promise<RequestRow | null> {
  const [row] = await sql.query<RequestRow>(
    `SELECT ${columns} FROM subject_requests WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  return row ?? null
}

export async function selectRequestOfCaller(
  sql: Sql,
  workspaceId: string,
  type: SubjectRequestType,
  subjectRequestId: string,
): Promise<RequestRow | null> {
  const [row] = await sql.query<RequestRow>(
    `SELECT ${columns} FROM subject_requests WHERE workspace_id = $1 AND type = $2 AND subject_request_id = $3`,
    [workspaceId, type, subjectRequestId],
  )
  return row ?? null
}

/** Newest first. */
export function selectRequests(
  sql: Sql,
  workspaceId: string,
  status: SubjectRequestState | null,
  before: string | null,
  rows: number,
): Promise<RequestRow[]> {
  return sql.query<RequestRow>(
    `SELECT ${columns} FROM subject_requests
     WHERE workspace_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [workspaceId, status, before, rows],
  )
}

/** Null when it was begun already. */
export async function cancelRequest(
  sql: Sql,
  workspaceId: string,
  id: string,
  at: Date,
): Promise<RequestRow | null> {
  const [row] = await sql.query<RequestRow>(
    `UPDATE subject_requests SET status = 'cancelled', completed_at = $3, step = 'cancelled'
     WHERE workspace_id = $1 AND id = $2 AND status = 'pending' RETURNING ${columns}`,
    [workspaceId, id, at],
  )
  return row ?? null
}

type Lease = { holder: string; at: Date; until: Date }

/** Requests without a worker, and those whose worker died; $1 is now. */
const isFree = `(status = 'pending' OR (status = 'in_progress' AND lease_until <= $1))`

/** Without a transaction, which takes three statements to find nothing. */
export async function hasFreeRequest(sql: Sql, at: Date): Promise<boolean> {
  const rows = await sql.query(`SELECT 1 FROM subject_requests WHERE ${isFree} LIMIT 1`, [at])
  return rows.length > 0
}

/**
 * The oldest request without a worker, and with an erasure the next ones that can be done together with it:
 * of the same workspace and mode, with as many attempts, and of one group before. `sizes` is the number by
 * attempts.
 */
export async function takeRequests(
  sql: Sql,
  { holder, at, until }: Lease,
  sizes: readonly number[],
): Promise<RequestRow[]> {
  const [first] = await sql.query<{ id: string; attempts: number }>(
    `SELECT id, attempts FROM subject_requests WHERE ${isFree}
     ORDER BY received_at, id LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [at],
  )
  if (first === undefined) return []
  const size = sizes[Math.min(first.attempts, sizes.length - 1)] ?? 1
  const rows = await sql.query<RequestRow>(
    `UPDATE subject_requests
     SET status = 'in_progress', holder = $2, lease_until = $3, attempts = attempts + 1,
         started_at = COALESCE(started_at, $1)
     WHERE id = ANY(ARRAY(
       SELECT other.id FROM subject_requests AS other
       JOIN subject_requests AS first ON first.id = $4
       WHERE ${isFree.replaceAll(/status|lease_until/g, 'other.$&')}
         AND (other.id = first.id OR (first.type = 'forget' AND other.type = 'forget'
           AND other.workspace_id = first.workspace_id AND other.mode = first.mode
           AND other.attempts = first.attempts
           AND other.state ->> 'salt' IS NOT DISTINCT FROM first.state ->> 'salt'))
       ORDER BY other.id <> first.id, other.received_at, other.id LIMIT $5 FOR UPDATE OF other SKIP LOCKED))
     RETURNING ${columns}`,
    [at, holder, until, first.id, size],
  )
  return rows.toSorted((a, b) => a.received_at.getTime() - b.received_at.getTime())
}

type Progress = { step: string; rowsDone: ReadonlyMap<string, number>; leaseUntil: Date }

/** False when another worker has taken over one of them. */
export async function saveProgress(
  sql: Sql,
  ids: readonly string[],
  holder: string,
  { step, rowsDone, leaseUntil }: Progress,
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE subject_requests AS request SET step = $3, rows_done = done.rows, lease_until = $5
     FROM unnest($1::text[], $4::float8[]) AS done (id, rows)
     WHERE request.id = done.id AND request.holder = $2 AND request.status = 'in_progress' RETURNING request.id`,
    [ids, holder, step, ids.map((id) => rowsDone.get(id) ?? 0), leaseUntil],
  )
  return rows.length === ids.length
}

/** False when another worker has taken over one of them. */
export async function saveStates(
  sql: Sql,
  states: ReadonlyMap<string, ForgetState>,
  holder: string,
  leaseUntil: Date,
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE subject_requests AS request SET state = kept.state::json, lease_until = $4
     FROM unnest($1::text[], $3::text[]) AS kept (id, state)
     WHERE request.id = kept.id AND request.holder = $2 AND request.status = 'in_progress' RETURNING request.id`,
    [[...states.keys()], holder, [...states.values()].map((state) => JSON.stringify(state)), leaseUntil],
  )
  return rows.length === states.size
}

/** Null when another worker has taken over, who then ends it: nothing ends twice. */
export async function completeRequest(
  sql: Sql,
  id: string,
  holder: string,
  at: Date,
  result: object,
): Promise<RequestRow | null> {
  const [row] = await sql.query<RequestRow>(
    `UPDATE subject_requests
     SET status = 'completed', completed_at = $3, result = $4, step = 'done', error = NULL, holder = NULL,
         lease_until = NULL, state = NULL
     WHERE id = $1 AND holder = $2 AND status = 'in_progress' RETURNING ${columns}`,
    [id, holder, at, JSON.stringify(result)],
  )
  return row ?? null
}

/** Leaves it to the next worker after a pause. */
export async function putBack(
  sql: Sql,
  id: string,
  holder: string,
  notBefore: Date,
  error: string,
): Promise<void> {
  await sql.query(
    `UPDATE subject_requests SET lease_until = $3, error = $4, holder = NULL
     WHERE id = $1 AND holder = $2 AND status = 'in_progress'`,
    [id, holder, notBefore, error],
  )
}

export async function failRequest(
  sql: Sql,
  id: string,
  holder: string,
  at: Date,
  error: string,
): Promise<RequestRow | null> {
  const [row] = await sql.query<RequestRow>(
    `UPDATE subject_requests
     SET status = 'failed', completed_at = $3, error = $4, step = 'failed', holder = NULL, lease_until = NULL
     WHERE id = $1 AND holder = $2 AND status = 'in_progress' RETURNING ${columns}`,
    [id, holder, at, error],
  )
  return row ?? null
}
