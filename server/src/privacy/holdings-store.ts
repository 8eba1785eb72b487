import type { Events } from '../store/events.ts'

/** Rows read at a time: a few megabytes. */
export const rowsPerPage = 5_000

export type Place = { ms: number; eventId: string }

type PlacedRow = { ms: string | number; event_id: string }

const keysOf = 'person_key IN (SELECT cityHash64(arrayJoin({ids:Array(String)})))'
const after = (time: string) =>
  `(toUnixTimestamp64Milli(${time}), event_id) > ({afterMs:Int64}, {afterId:String})`

/** Stored events of these people, oldest first, after a place. */
export function selectEventsAfter(
  events: Events,
  workspaceId: string,
  bornIds: readonly string[],
  { ms, eventId }: Place,
): Promise<(Record<string, unknown> & PlacedRow)[]> {
  return events.query(
    `SELECT * EXCEPT (workspace_id, person_key, session_key), toUnixTimestamp64Milli(ts) AS ms FROM events
     WHERE workspace_id = {workspaceId:String} AND ${keysOf} AND ${after('ts')}
     ORDER BY ts, event_id LIMIT {rows:UInt32}`,
    { workspaceId, ids: bornIds, afterMs: ms, afterId: eventId, rows: rowsPerPage },
  )
}

/** Held events of these people, whatever was decided about them. */
export function selectHeldAfter(
  events: Events,
  workspaceId: string,
  bornIds: readonly string[],
  { ms, eventId }: Place,
): Promise<(Record<string, unknown> & PlacedRow)[]> {
  return events.query(
    `SELECT site_id, received_at, event_id, name, sent_name, code, person_id, held,
            toUnixTimestamp64Milli(received_at) AS ms
     FROM quarantine
     WHERE workspace_id = {workspaceId:String} AND person_id IN {ids:Array(String)} AND ${after('received_at')}
     ORDER BY received_at, event_id LIMIT {rows:UInt32}`,
    { workspaceId, ids: bornIds, afterMs: ms, afterId: eventId, rows: rowsPerPage },
  )
}

export function selectDecisionsAfter(
  events: Events,
  workspaceId: string,
  bornIds: readonly string[],
  { ms, eventId }: Place,
): Promise<(Record<string, unknown> & PlacedRow)[]> {
  return events.query(
    `SELECT event_id, received_at, state, decided_at, decided_by, name, code, issues, patch,
            toUnixTimestamp64Milli(received_at) AS ms
     FROM quarantine_states
     WHERE workspace_id = {workspaceId:String} AND person_id IN {ids:Array(String)} AND ${after('received_at')}
     ORDER BY received_at, event_id LIMIT {rows:UInt32} WITH TIES`,
    { workspaceId, ids: bornIds, afterMs: ms, afterId: eventId, rows: rowsPerPage },
  )
}
