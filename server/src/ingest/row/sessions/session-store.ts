import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Events } from '../../../store/events.ts'

export type OpenSessionRow = {
  site_id: string
  person_id: string
  anonymous_id: string
  session_id: string
  resolved_by: string
  is_public: number
  first_ms: number
  last_ms: number
}

/**
 * Sessions that an event may still continue, those that ended first before the others, some at a time. After a large
 * import they are more than fit into memory: then those of the latest events.
 */
export async function* readOpenSessions(
  events: Events,
  sinceMs: number,
  most: { events: number; sessions: number },
): AsyncGenerator<OpenSessionRow[]> {
  const isSince = "received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')"
  const rows = await events.bytes(
    `SELECT site_id, person_id, anonymous_id, session_id, resolved_by, is_public,
            toFloat64(toUnixTimestamp64Milli(min(ts))) AS first_ms,
            toFloat64(toUnixTimestamp64Milli(max(ts))) AS last_ms
     FROM events
     WHERE ${isSince} AND session_id != ''
       AND received_at >= (
         SELECT min(received_at)
         FROM (SELECT received_at FROM events WHERE ${isSince} ORDER BY received_at DESC LIMIT {events:UInt32}))
     GROUP BY site_id, person_id, anonymous_id, session_id, resolved_by, is_public
     ORDER BY last_ms
     SETTINGS max_rows_to_group_by = ${most.sessions}, group_by_overflow_mode = 'any' FORMAT JSONEachRow`,
    { since: sinceMs, events: most.events },
  )
  yield* someAtATime(rows)
}

/** A start has up to 200,000 of them: parsed at once they would hold the main thread, and take 300 MB. */
const bytesAtATime = 262_144
const newline = 10

async function* someAtATime(rows: Buffer): AsyncGenerator<OpenSessionRow[]> {
  for (let from = 0; from < rows.length; ) {
    const end = rows.indexOf(newline, from + bytesAtATime)
    const to = end === -1 ? rows.length : end
    const lines = rows.toString('utf8', from, to).trimEnd()
    // boundary: the columns of the statement.
    if (lines !== '') yield JSON.parse(`[${lines.replaceAll('\n', ',')}]`) as OpenSessionRow[]
    from = to + 1
    await nextTurn()
  }
}
