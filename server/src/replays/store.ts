import type { Sql } from '../store/control.ts'

export type ReplayRow = {
  id: string
  site_id: string
  session_id: string
  anonymous_id: string
  user_id: string | null
  started_at: Date
  ended_at: Date
  created_at: Date
  chunks: number
  events: number
  bytes: number
}

const columns = `id, site_id, session_id, anonymous_id, user_id, started_at, ended_at, created_at, chunks, events,
  bytes::float8 AS bytes`

/** What one chunk says of its replay. */
export type Part = {
  workspaceId: string
  replayId: string
  siteId: string
  sessionId: string
  anonymousId: string
  userId: string | null
  originalIds: readonly string[]
  startedAt: Date
  endedAt: Date
  receivedAt: Date
}

/** The replay, created if new, and locked until the transaction ends. */
export async function lockReplay(sql: Sql, part: Part): Promise<ReplayRow> {
  const [row] = await sql.query<ReplayRow>(
    `INSERT INTO replays (workspace_id, id, site_id, session_id, anonymous_id, user_id, original_ids,
                          started_at, ended_at,
                          created_at, chunks, events, bytes)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, 0)
     ON CONFLICT (workspace_id, id) DO UPDATE SET id = excluded.id
     RETURNING ${columns}`,
    [
      part.workspaceId,
      part.replayId,
      part.siteId,
      part.sessionId,
      part.anonymousId,
      part.userId,
      part.originalIds,
      part.startedAt,
      part.endedAt,
      part.receivedAt,
    ],
  )
  if (row === undefined) throw new Error('the replay was neither there nor made')
  return row
}

type ChunkRow = { id: string; firstMs: number; events: Uint8Array }

/** False when it is there already. */
export async function insertChunk(
  sql: Sql,
  { workspaceId, replayId }: Part,
  { id, firstMs, events }: ChunkRow,
): Promise<boolean> {
  const rows = await sql.query(
    `INSERT INTO replay_chunks (workspace_id, replay_id, id, first_ms, events) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING RETURNING id`,
    [workspaceId, replayId, id, firstMs, events],
  )
  return rows.length === 1
}

export async function extendReplay(sql: Sql, part: Part, eventCount: number, bytes: number): Promise<void> {
  await sql.query(
    `UPDATE replays SET
       chunks = chunks + 1, events = events + $3, bytes = bytes + $4,
       started_at = least(started_at, $5), ended_at = greatest(ended_at, $6), user_id = coalesce($7, user_id),
       original_ids = ARRAY(SELECT DISTINCT unnest(original_ids || $8::text[]))
     WHERE workspace_id = $1 AND id = $2`,
    [
      part.workspaceId,
      part.replayId,
      eventCount,
      bytes,
      part.startedAt,
      part.endedAt,
      part.userId,
      part.originalIds,
    ],
  )
}

/** Bytes that were recorded on a site on a day so far. */
export async function selectDayBytes(
  sql: Sql,
  { workspaceId, siteId, receivedAt }: Pick<Part, 'workspaceId' | 'siteId' | 'receivedAt'>,
): Promise<number> {
  const [row] = await sql.query<{ bytes: number }>(
    `SELECT bytes::float8 AS bytes FROM replay_days
     WHERE workspace_id = $1 AND site_id = $2 AND day = ($3::timestamptz AT TIME ZONE 'UTC')::date`,
    [workspaceId, siteId, receivedAt],
  )
  return row?.bytes ?? 0
}

/** Last in its transaction: until it ends, other chunks of the site wait for it. */
export async function addDayBytes(
  sql: Sql,
  { workspaceId, siteId, receivedAt }: Pick<Part, 'workspaceId' | 'siteId' | 'receivedAt'>,
  bytes: number,
): Promise<void> {
  await sql.query(
    `INSERT INTO replay_days (workspace_id, site_id, day, bytes)
     VALUES ($1, $2, ($3::timestamptz AT TIME ZONE 'UTC')::date, $4)
     ON CONFLICT (workspace_id, site_id, day) DO UPDATE SET bytes = replay_days.bytes + excluded.bytes`,
    [workspaceId, siteId, receivedAt, bytes],
  )
}

export async function deleteDaysBefore(sql: Sql, before: Date): Promise<void> {
  await sql.query(`DELETE FROM replay_days WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date`, [before])
}

type ReplayFilter = {
  siteId: string | null
  sessionId: string | null
  /** Of any of these original ids. */
  originalIds: readonly string[] | null
}

export type Place = { ms: number; id: string }

/** Newest first, after a place in that order, none that was made before `since`. */
export function selectReplays(
  sql: Sql,
  workspaceId: string,
  since: Date,
  { siteId, sessionId, originalIds }: ReplayFilter,
  place: Place | null,
  limit: number,
): Promise<ReplayRow[]> {
  return sql.query<ReplayRow>(
    `SELECT ${columns} FROM replays
     WHERE workspace_id = $1 AND created_at >= $2
       AND ($3::text IS NULL OR site_id = $3)
       AND ($4::text IS NULL OR session_id = $4)
       AND ($5::text[] IS NULL OR original_ids && $5)
       AND ($6::timestamptz IS NULL OR (started_at, id) < ($6, $7::text))
     ORDER BY started_at DESC, id DESC LIMIT $8`,
    [
      workspaceId,
      since,
      siteId,
      sessionId,
      originalIds,
      place && new Date(place.ms),
      place?.id ?? null,
      limit,
    ],
  )
}

export async function selectReplay(
  sql: Sql,
  workspaceId: string,
  since: Date,
  id: string,
): Promise<ReplayRow | null> {
  const [row] = await sql.query<ReplayRow>(
    `SELECT ${columns} FROM replays WHERE workspace_id = $1 AND created_at >= $2 AND id = $3`,
    [workspaceId, since, id],
  )
  return row ?? null
}

export type StoredChunk = { id: string; first_ms: number; events: Uint8Array }

/** In the order in which it happened, after a place in it. */
export function selectChunks(
  sql: Sql,
  workspaceId: string,
  replayId: string,
  { ms, id }: Place,
  limit: number,
): Promise<StoredChunk[]> {
  return sql.query<StoredChunk>(
    `SELECT id, first_ms::float8 AS first_ms, events FROM replay_chunks
     WHERE workspace_id = $1 AND replay_id = $2 AND (first_ms, id) > ($3::bigint, $4::text)
     ORDER BY first_ms, id LIMIT $5`,
    [workspaceId, replayId, ms, id, limit],
  )
}

/** The chunks go with it. */
export async function deleteReplayRow(sql: Sql, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql.query('DELETE FROM replays WHERE workspace_id = $1 AND id = $2 RETURNING id', [
    workspaceId,
    id,
  ])
  return rows.length === 1
}

export async function deleteReplaysOf(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<number> {
  const rows = await sql.query(
    'DELETE FROM replays WHERE workspace_id = $1 AND original_ids && $2::text[] RETURNING id',
    [workspaceId, originalIds],
  )
  return rows.length
}

/** Some of those that were made before; answers how many. */
export async function deleteReplaysBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const rows = await sql.query(
    `DELETE FROM replays WHERE (workspace_id, id) IN (
       SELECT workspace_id, id FROM replays WHERE created_at < $1 ORDER BY created_at LIMIT $2
     ) RETURNING id`,
    [before, limit],
  )
  return rows.length
}

export async function countReplaysOf(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM replays WHERE workspace_id = $1 AND original_ids && $2::text[]',
    [workspaceId, originalIds],
  )
  return row?.count ?? 0
}
