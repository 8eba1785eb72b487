import type { Events } from '../../store/events.ts'
import type { StoredColumns } from '../backfills/stored-event.ts'

type SentName = { sent_name: string; events: string }

/** Which names arrived, as they were sent, and how often; few, since the column is a dictionary. */
export function selectStoredNames(events: Events, workspaceId: string, sinceMs: number): Promise<SentName[]> {
  return events.query<SentName>(
    `SELECT sent_name, toString(count()) AS events FROM events
     WHERE workspace_id = {workspaceId:String} AND ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
     GROUP BY sent_name`,
    { workspaceId, since: sinceMs },
  )
}

/** What was released is stored, and must not be judged a second time. */
const notReleased = `(received_at, event_id) NOT IN (
       SELECT received_at, event_id FROM quarantine_states
       WHERE workspace_id = {workspaceId:String} AND state = 'released'
         AND received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC'))`

export function selectQuarantinedNames(
  events: Events,
  workspaceId: string,
  sinceMs: number,
): Promise<SentName[]> {
  return events.query<SentName>(
    `SELECT sent_name, toString(count()) AS events FROM quarantine
     WHERE workspace_id = {workspaceId:String} AND received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
       AND ${notReleased}
     GROUP BY sent_name`,
    { workspaceId, since: sinceMs },
  )
}

export type TrafficQuery = {
  workspaceId: string
  sentNames: readonly string[]
  sinceMs: number
}

/** Where a page ends; the next one begins before it. */
export type Place = { ms: number; eventId: string }

export const beginning: Place = { ms: Number.MAX_SAFE_INTEGER, eventId: '' }

export type StoredTraffic = StoredColumns & { received_ms: string; mapping_rule: string }

/** Stored events, newest first, that come before a place. */
export function selectStoredTraffic(
  events: Events,
  { workspaceId, sentNames, sinceMs }: TrafficQuery,
  before: Place,
  limit: number,
): Promise<StoredTraffic[]> {
  return events.query<StoredTraffic>(
    `SELECT event_id, site_id, toString(toUnixTimestamp64Milli(ts)) AS ms,
            toString(toUnixTimestamp64Milli(received_at)) AS received_ms, sent_name, mapping_rule,
            person_id, user_id, anonymous_id, properties, set_aside, context
     FROM events
     WHERE workspace_id = {workspaceId:String} AND ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
       AND sent_name IN {sentNames:Array(String)}
       AND (toUnixTimestamp64Milli(ts), event_id) < ({beforeMs:Int64}, {beforeId:String})
     ORDER BY ts DESC, event_id DESC LIMIT {limit:UInt32}`,
    { workspaceId, sentNames, since: sinceMs, beforeMs: before.ms, beforeId: before.eventId, limit },
  )
}

export type QuarantinedTraffic = { event_id: string; ms: string; held: string }

/** Quarantined events, newest first, before a position. */
export function selectQuarantinedTraffic(
  events: Events,
  { workspaceId, sentNames, sinceMs }: TrafficQuery,
  before: Place,
  limit: number,
): Promise<QuarantinedTraffic[]> {
  return events.query<QuarantinedTraffic>(
    `SELECT event_id, toString(toUnixTimestamp64Milli(received_at)) AS ms, held
     FROM quarantine
     WHERE workspace_id = {workspaceId:String}
       AND received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
       AND sent_name IN {sentNames:Array(String)}
       AND ${notReleased}
       AND (toUnixTimestamp64Milli(received_at), event_id) < ({beforeMs:Int64}, {beforeId:String})
     ORDER BY received_at DESC, event_id DESC LIMIT {limit:UInt32}`,
    { workspaceId, sentNames, since: sinceMs, beforeMs: before.ms, beforeId: before.eventId, limit },
  )
}
