import type { Confidence, LedgerType, Moved } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export type LedgerRow = {
  seq: number
  id: string
  type: LedgerType
  is_explicit: boolean
  step: number | null
  confidence: Confidence | null
  actor: string
  created_at: Date
  reverses: string | null
  reversed_by: string | null
  survivor_id: string | null
  absorbed_id: string | null
  a: string | null
  b: string | null
  reason: string | null
  triggering_event_id: string | null
  moved: Moved | null
  salt: string | null
  subject_digest: string
  previous_hash: string
  hash: string
}

const columns = `seq::float8 AS seq, id, type, is_explicit, step, confidence, actor, created_at, reverses, reversed_by,
  survivor_id, absorbed_id, a, b, reason, triggering_event_id, moved, salt, subject_digest, previous_hash, hash`

/** `begun_in` is the workspace id used in the hashes. */
export type Head = { seq: number; hash: string; begun_in: string }

/** The end of the chain, and the lock for writing: the next caller waits until this transaction is over. */
export async function lockHead(sql: Sql, workspaceId: string, genesis: string): Promise<Head> {
  const [row] = await sql.query<Head>(
    `INSERT INTO identity_ledger_heads (workspace_id, seq, hash) VALUES ($1, 0, $2)
     ON CONFLICT (workspace_id) DO UPDATE SET seq = identity_ledger_heads.seq
     RETURNING seq::float8 AS seq, hash, coalesce(begun_in, workspace_id) AS begun_in`,
    [workspaceId, genesis],
  )
  if (row === undefined) throw new Error('the head of the ledger is neither there nor could it be made')
  return row
}

export async function selectHead(sql: Sql, workspaceId: string): Promise<Head | null> {
  const [row] = await sql.query<Head>(
    `SELECT seq::float8 AS seq, hash, coalesce(begun_in, workspace_id) AS begun_in
     FROM identity_ledger_heads WHERE workspace_id = $1`,
    [workspaceId],
  )
  return row ?? null
}

export async function updateHead(sql: Sql, workspaceId: string, { seq, hash }: Head): Promise<void> {
  await sql.query('UPDATE identity_ledger_heads SET seq = $2, hash = $3 WHERE workspace_id = $1', [
    workspaceId,
    seq,
    hash,
  ])
}

export async function insertEntries(
  sql: Sql,
  workspaceId: string,
  rows: readonly LedgerRow[],
): Promise<void> {
  const written = `seq, id, type, is_explicit, step, confidence, actor, created_at, reverses, survivor_id, absorbed_id,
       a, b, reason, triggering_event_id, moved, salt, subject_digest, previous_hash, hash`
  await sql.query(
    `INSERT INTO identity_ledger (workspace_id, ${written})
     SELECT $1, ${written} FROM json_populate_recordset(NULL::identity_ledger, $2)`,
    [workspaceId, JSON.stringify(rows)],
  )
}

export async function markReversed(
  sql: Sql,
  workspaceId: string,
  entryId: string,
  reversedBy: string,
): Promise<void> {
  await sql.query('UPDATE identity_ledger SET reversed_by = $3 WHERE workspace_id = $1 AND id = $2', [
    workspaceId,
    entryId,
    reversedBy,
  ])
}

export async function selectEntry(sql: Sql, workspaceId: string, id: string): Promise<LedgerRow | null> {
  const [row] = await sql.query<LedgerRow>(
    `SELECT ${columns} FROM identity_ledger WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  return row ?? null
}

/** In the order of writing, after a position. */
export function selectEntriesAfter(
  sql: Sql,
  workspaceId: string,
  afterSeq: number,
  rows: number,
): Promise<LedgerRow[]> {
  return sql.query<LedgerRow>(
    `SELECT ${columns} FROM identity_ledger WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    [workspaceId, afterSeq, rows],
  )
}

type LedgerQuery = {
  workspaceId: string
  beforeSeq: number
  type: LedgerType | null
  /** Original ids of which one takes part. */
  ends: readonly string[] | null
  rows: number
}

/** Newest first. */
export function selectNewestEntries(sql: Sql, query: LedgerQuery): Promise<LedgerRow[]> {
  return sql.query<LedgerRow>(
    `SELECT ${columns} FROM identity_ledger
     WHERE workspace_id = $1 AND seq < $2 AND ($3::text IS NULL OR type = $3)
       AND ($4::text[] IS NULL OR a = ANY($4) OR b = ANY($4))
     ORDER BY seq DESC LIMIT $5`,
    [query.workspaceId, query.beforeSeq, query.type, query.ends, query.rows],
  )
}
