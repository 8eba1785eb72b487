import type { Events } from '../../store/events.ts'

/** Of one workspace, or of all. */
const idsOf = (workspaceId: string | null) =>
  workspaceId === null ? '' : 'AND workspace_id = {workspaceId:String}'

/** Days, counted from 1970, with new ids since; oldest first. */
export async function selectIdDays(
  events: Events,
  sinceMs: number,
  workspaceId: string | null,
): Promise<number[]> {
  const rows = await events.query<{ day: number }>(
    `SELECT DISTINCT toInt32(toDate32(received_at)) AS day FROM event_ids
     WHERE received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') ${idsOf(workspaceId)} ORDER BY day`,
    { since: sinceMs, ...(workspaceId !== null && { workspaceId }) },
  )
  return rows.map((row) => Number(row.day))
}

/**
 * Ids of one day as little-endian bytes: hi, lo, kind, and the rank of the outcome, with a bit for public
 * senders; the dedup index is rebuilt from them.
 */
export function selectIdsOfDay(
  events: Events,
  dayStartMs: number,
  dayEndMs: number,
  workspaceId: string | null,
): Promise<Buffer> {
  return events.bytes(
    `SELECT id_hi, id_lo, kind, toUInt8(indexOf(['accept', 'warn', 'quarantine'], outcome) - 1 + 4 * is_public)
     FROM event_ids
     WHERE received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
       AND received_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC') ${idsOf(workspaceId)}
     FORMAT RowBinary`,
    { from: dayStartMs, to: dayEndMs, ...(workspaceId !== null && { workspaceId }) },
  )
}

export type IdRow = {
  kind: number
  event_id: string
  site_id: string
  ts_ms: string | number
  outcome: string
  is_public: number
}

/**
 * Where an acknowledged id is stored, or nothing: fast for any length of history, since ids are the sorting
 * key. Returns the later place of a released event, and the secret sender's if both sent it.
 */
export async function findId(
  events: Events,
  hash: { hi: number; lo: number },
  workspaceId: string,
  kind: 0 | 1,
  id: string,
): Promise<IdRow | null> {
  const [row] = await events.query<IdRow>(
    `SELECT kind, event_id, site_id, toUnixTimestamp64Milli(ts) AS ts_ms, outcome, is_public FROM event_ids
     WHERE id_hi = {hi:UInt32} AND id_lo = {lo:UInt32} AND kind = {kind:UInt8}
       AND workspace_id = {workspaceId:String} AND id = {id:String}
     ORDER BY is_public, outcome = 'quarantine', received_at LIMIT 1`,
    { hi: hash.hi, lo: hash.lo, kind, workspaceId, id },
  )
  return row ?? null
}
