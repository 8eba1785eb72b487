import type { Count, Events } from '../store/events.ts'
import type { Span } from './stores/measures.ts'

export type UsageRow = { site_id: string; day: string; outcome: string; events: Count; repeats: Count }

/** Verdicts of a workspace by site and day; counted on arrival, so that this is a read of some hundred rows. */
export function selectUsage(events: Events, workspaceId: string, span: Span): Promise<UsageRow[]> {
  return events.query<UsageRow>(
    `SELECT site_id, toString(toDate(hour, 'UTC')) AS day, outcome, sum(events) AS events, sum(duplicates) AS repeats
     FROM verdicts
     WHERE workspace_id = {workspaceId:String}
       AND hour >= toDateTime(intDiv({fromMs:Int64}, 1000), 'UTC')
       AND hour < toDateTime(intDiv({toMs:Int64}, 1000), 'UTC')
     GROUP BY site_id, day, outcome ORDER BY site_id, day, outcome`,
    { workspaceId, ...span },
  )
}

export type StoredUsage = { events: number; held: number; bytes: number; oldestMs: number | null }

/**
 * Storage used. Parts of the store contain rows of all workspaces, so each gets a share by rows: exact bytes
 * are not known.
 */
export async function selectStoredUsage(events: Events, workspaceId: string): Promise<StoredUsage> {
  const [row] = await events.query<{ events: Count; held: Count; bytes: Count; oldest_ms: Count }>(
    `WITH (SELECT sum(bytes_on_disk) / greatest(sum(rows), 1) FROM system.parts
           WHERE active AND database = currentDatabase() AND table = 'events') AS event_bytes,
          (SELECT sum(bytes_on_disk) / greatest(sum(rows), 1) FROM system.parts
           WHERE active AND database = currentDatabase() AND table = 'quarantine') AS held_bytes,
          (SELECT count() FROM quarantine WHERE workspace_id = {workspaceId:String}) AS held_rows
     SELECT count() AS events, held_rows AS held, round(count() * event_bytes + held_rows * held_bytes) AS bytes,
            toUnixTimestamp64Milli(min(ts)) AS oldest_ms
     FROM events WHERE workspace_id = {workspaceId:String}`,
    { workspaceId },
  )
  const stored = Number(row?.events ?? 0)
  return {
    events: stored,
    held: Number(row?.held ?? 0),
    bytes: Number(row?.bytes ?? 0),
    oldestMs: stored === 0 ? null : Number(row?.oldest_ms ?? 0),
  }
}
