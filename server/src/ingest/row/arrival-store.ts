import type { Events } from '../../store/events.ts'

/** The latest number given to an event that arrived since; 0 for none. */
export async function selectLastArrival(events: Events, sinceMs: number): Promise<number> {
  const [row] = await events.query<{ last: string | number }>(
    `SELECT max(arrival) AS last FROM events
     WHERE received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')`,
    { since: sinceMs },
  )
  return Number(row?.last ?? 0)
}
