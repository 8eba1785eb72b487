import type { DeadLetterState } from '@assay/contract'
import type { Sql } from '../../store/control.ts'
import { storableText } from '../../store/storable.ts'
import type { LoadStep } from '../loader/segment-load.ts'

export type DeadLetterRow = {
  id: string
  workspace_id: string
  site_id: string
  event_id: string
  name: string
  person_id: string
  user_id: string
  anonymous_id: string
  node_id: string
  segment: string
  step: LoadStep
  reason: string
  is_stored: boolean
  received_at: Date | null
  failed_at: Date
  state: DeadLetterState
  decided_at: Date | null
  decided_by: string | null
}
export type NewDeadLetter = Omit<DeadLetterRow, 'state' | 'decided_at' | 'decided_by'> & { line: Uint8Array }

const columns = `id, workspace_id, site_id, event_id, name, person_id, user_id, anonymous_id, node_id, segment, step,
  reason, is_stored, received_at, failed_at, state, decided_at, decided_by`

/**
 * Fails while the store cannot write anything. People and destinations of events are written to these tables:
 * if one is missing or not readable, it refuses every line, so no line is at fault.
 */
export async function probeControl(sql: Sql, nodeId: string): Promise<void> {
  await sql.query(
    `SELECT 1 FROM identity_links, identity_ledger, identity_ledger_heads, identity_apart, identity_suppressions,
       person_traits, dispatches, destinations LIMIT 0`,
  )
  await sql.query(
    `INSERT INTO load_probes (node_id, at) VALUES ($1, now()) ON CONFLICT (node_id) DO UPDATE SET at = now()`,
    [nodeId],
  )
}

/** Maximum per workspace: beyond it, letters go to the file. */
type DeadLetterBounds = { letters: number; bytes: number }

/**
 * False without space or workspace. An existing letter, whose segment or whose line is loaded again, waits
 * again with its new reason.
 */
export async function insertDeadLetter(
  sql: Sql,
  letter: NewDeadLetter,
  bounds: DeadLetterBounds,
): Promise<boolean> {
  const rows = await sql.query(
    `INSERT INTO dead_letters (id, workspace_id, site_id, event_id, name, person_id, user_id, anonymous_id, node_id,
       segment, line, line_bytes, step, reason, is_stored, received_at, failed_at, state)
     SELECT $1, w.id, $3, $4, $5, $6, $7, $8, $9, $10, $11::bytea, $12::int, $13, $14, $15::boolean,
       $16::timestamptz, $17::timestamptz, 'waiting'
     FROM workspaces AS w,
       LATERAL (SELECT count(*) AS letters, coalesce(sum(line_bytes), 0) AS bytes
                FROM dead_letters
                WHERE workspace_id = w.id AND state = 'waiting' AND id <> $1) AS there
     WHERE w.id = $2 AND there.letters < $18::int AND there.bytes + $12::int <= $19::bigint
     ON CONFLICT (id) DO UPDATE
       SET state = 'waiting', decided_at = NULL, decided_by = NULL, line = EXCLUDED.line,
           line_bytes = EXCLUDED.line_bytes, step = EXCLUDED.step, reason = EXCLUDED.reason,
           is_stored = dead_letters.is_stored OR EXCLUDED.is_stored, segment = EXCLUDED.segment,
           failed_at = EXCLUDED.failed_at
       WHERE dead_letters.workspace_id = EXCLUDED.workspace_id
     RETURNING id`,
    [
      letter.id,
      letter.workspace_id,
      letter.site_id,
      letter.event_id,
      letter.name,
      letter.person_id,
      letter.user_id,
      letter.anonymous_id,
      letter.node_id,
      letter.segment,
      letter.line,
      letter.line.length,
      letter.step,
      letter.reason,
      letter.is_stored,
      letter.received_at,
      letter.failed_at,
      bounds.letters,
      bounds.bytes,
    ],
  )
  return rows.length === 1
}

/** Deletes letters of a segment that were refused in an earlier attempt and are not now. */
export async function deleteOthersOfSegment(
  sql: Sql,
  segment: string,
  ids: readonly string[],
): Promise<void> {
  await sql.query(
    "DELETE FROM dead_letters WHERE segment = $1 AND state = 'waiting' AND NOT (id = ANY($2::text[]))",
    [segment, ids],
  )
}

export async function isWorkspaceDeleted(sql: Sql, workspaceId: string): Promise<boolean> {
  return (await sql.query('SELECT 1 FROM deleted_workspaces WHERE id = $1', [workspaceId])).length > 0
}

export type DeadLetterPlace = { failedMs: number; id: string }
export type DeadLetterQuery = {
  workspaceId: string
  state?: DeadLetterState | undefined
  siteId?: string | undefined
  eventId?: string | undefined
  step?: string | undefined
}

const matching = `workspace_id = $1 AND ($2::text IS NULL OR state = $2) AND ($3::text IS NULL OR site_id = $3)
  AND ($4::text IS NULL OR step = $4) AND ($5::text IS NULL OR event_id = $5)`
const matched = ({ workspaceId, state, siteId, step, eventId }: DeadLetterQuery) => [
  workspaceId,
  state ?? null,
  siteId ?? null,
  step ?? null,
  eventId ?? null,
]

/** Newest first. */
export function selectDeadLetters(
  sql: Sql,
  query: DeadLetterQuery,
  after: DeadLetterPlace | null,
  limit: number,
): Promise<DeadLetterRow[]> {
  return sql.query<DeadLetterRow>(
    `SELECT ${columns} FROM dead_letters
     WHERE ${matching} AND ($6::timestamptz IS NULL OR (failed_at, id) < ($6, $7))
     ORDER BY failed_at DESC, id DESC LIMIT $8`,
    [...matched(query), after === null ? null : new Date(after.failedMs), after?.id ?? '', limit],
  )
}

/** Oldest first, as they are loaded; up to a moment, so that a call ends. */
export function selectWaitingIds(
  sql: Sql,
  query: DeadLetterQuery,
  until: Date,
  after: DeadLetterPlace | null,
  limit: number,
): Promise<Pick<DeadLetterRow, 'id' | 'failed_at'>[]> {
  return sql.query(
    `SELECT id, failed_at FROM dead_letters
     WHERE ${matching} AND failed_at <= $6 AND ($7::timestamptz IS NULL OR (failed_at, id) > ($7, $8))
     ORDER BY failed_at, id LIMIT $9`,
    [
      ...matched({ ...query, state: 'waiting' }),
      until,
      after === null ? null : new Date(after.failedMs),
      after?.id ?? '',
      limit,
    ],
  )
}

export type DeadLetterLine = DeadLetterRow & { line: Uint8Array }

/** Locked until the transaction ends. */
export async function findDeadLetter(
  sql: Sql,
  workspaceId: string,
  id: string,
  isLocked = false,
): Promise<DeadLetterLine | null> {
  const [row] = await sql.query<DeadLetterLine>(
    `SELECT ${columns}, line FROM dead_letters WHERE workspace_id = $1 AND id = $2 ${isLocked ? 'FOR UPDATE' : ''}`,
    [workspaceId, id],
  )
  return row ?? null
}

/** The waiting letter of an event before decided ones. */
export async function findDeadLetterOf(
  sql: Sql,
  workspaceId: string,
  eventId: string,
): Promise<DeadLetterLine | null> {
  const [row] = await sql.query<DeadLetterLine>(
    `SELECT ${columns}, line FROM dead_letters WHERE workspace_id = $1 AND event_id = $2
     ORDER BY state <> 'waiting', failed_at DESC LIMIT 1`,
    [workspaceId, eventId],
  )
  return row ?? null
}

/** Oldest first, each locked until the transaction ends. */
export function lockWaiting(
  sql: Sql,
  workspaceId: string,
  ids: readonly string[],
): Promise<DeadLetterLine[]> {
  return sql.query<DeadLetterLine>(
    `SELECT ${columns}, line FROM dead_letters
     WHERE workspace_id = $1 AND id = ANY($2::text[]) AND state = 'waiting' ORDER BY failed_at, id FOR UPDATE`,
    [workspaceId, ids],
  )
}

export async function decideDeadLetters(
  sql: Sql,
  ids: readonly string[],
  { state, by, at }: { state: 'loaded' | 'discarded'; by: string; at: Date },
): Promise<void> {
  await sql.query(
    'UPDATE dead_letters SET state = $2, decided_by = $3, decided_at = $4 WHERE id = ANY($1::text[])',
    [ids, state, by, at],
  )
}

export async function countWaiting(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM dead_letters WHERE state = 'waiting'",
  )
  return row?.count ?? 0
}

/** Lines that wait or were discarded: their ids count as seen. A page at a time, by id. */
export function selectUnloadedLines(
  sql: Sql,
  afterId: string,
  limit: number,
): Promise<{ id: string; line: Uint8Array }[]> {
  return sql.query<{ id: string; line: Uint8Array }>(
    `SELECT id, line FROM dead_letters WHERE state <> 'loaded' AND id > $1 ORDER BY id LIMIT $2`,
    [afterId, limit],
  )
}

/** Old decided letters. */
export async function deleteOldDecided(sql: Sql, before: Date): Promise<void> {
  await sql.query("DELETE FROM dead_letters WHERE state <> 'waiting' AND decided_at < $1", [before])
}

/** Letters of a person, and those that mention them anywhere. */
const naming = `workspace_id = $1 AND (person_id = ANY($2::text[]) OR EXISTS (
  SELECT 1 FROM unnest($2::text[] || $3::text[]) AS one (value)
  WHERE one.value <> '' AND position(convert_to(one.value, 'UTF8') IN line) > 0))`

type NamedPerson = { workspaceId: string; originalIds: readonly string[]; values: readonly string[] }

const named = ({ workspaceId, originalIds, values }: NamedPerson) => [
  workspaceId,
  originalIds,
  values.map(storableText),
]

export async function countLettersOf(sql: Sql, person: NamedPerson): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM dead_letters WHERE ${naming}`,
    named(person),
  )
  return row?.count ?? 0
}

export async function deleteLettersOf(sql: Sql, person: NamedPerson): Promise<void> {
  await sql.query(`DELETE FROM dead_letters WHERE ${naming}`, named(person))
}

/** A page at a time, by id. */
export function selectLettersOf(
  sql: Sql,
  person: NamedPerson,
  afterId: string,
  limit: number,
): Promise<DeadLetterLine[]> {
  return sql.query<DeadLetterLine>(
    `SELECT ${columns}, line FROM dead_letters WHERE ${naming} AND id > $4 ORDER BY id LIMIT $5`,
    [...named(person), afterId, limit],
  )
}
