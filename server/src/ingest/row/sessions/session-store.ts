import type { Events } from '../../../store/events.ts'

export type OpenSessionRow = {
  site_id: string
  person_id: string
  anonymous_id: string
  session_id: string
  resolved_by: string
  is_public: string | number
  first_ms: string
  last_ms: string
}

/**
 * Sessions that an event may still continue. After a large import they are more than fit into memory: then
 * those of the latest events.
 */
export function selectOpenSessions(
  events: Events,
  sinceMs: number,
  most: { events: number; sessions: number },
): Promise<OpenSessionRow[]> {
  const isSince = "received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')"
  return events.query<OpenSessionRow>(
    `SELECT site_id, person_id, anonymous_id, session_id, resolved_by, is_public,
            toString(toUnixTimestamp64Milli(min(ts))) AS first_ms, toString(toUnixTimestamp64Milli(max(ts))) AS last_ms
     FROM events
     WHERE ${isSince} AND session_id != ''
       AND received_at >= (
         SELECT min(received_at)
         FROM (SELECT received_at FROM events WHERE ${isSince} ORDER BY received_at DESC LIMIT {events:UInt32}))
     GROUP BY site_id, person_id, anonymous_id, session_id, resolved_by, is_public
     SETTINGS max_rows_to_group_by = ${most.sessions}, group_by_overflow_mode = 'any'`,
    { since: sinceMs, events: most.events },
  )
}
