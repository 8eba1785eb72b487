import type { Events } from '../../store/events.ts'
import { keptProperties, type StoredColumns } from '../backfills/stored-event.ts'

export type ProposalScope = { workspaceId: string; siteId: string; sinceMs: number }
export type SeenProposal = { sent_name: string; events: string; quarantined: string; last_ms: string }

/** Anyone may send names; those that come most often are proposed. */
const namesMax = 1_000

/** Names without a contract when they came, as they were sent. Stored events of these have no contract version. */
export function selectUnknownNames(
  events: Events,
  { workspaceId, siteId, sinceMs }: ProposalScope,
): Promise<SeenProposal[]> {
  return events.query<SeenProposal>(
    `SELECT s.sent_name AS sent_name, toString(sum(s.seen)) AS events, toString(sum(s.held)) AS quarantined,
            toString(max(s.last)) AS last_ms
     FROM (
       SELECT sent_name, count() AS seen, toUInt64(0) AS held, max(toUnixTimestamp64Milli(ts)) AS last
       FROM events
       WHERE workspace_id = {workspaceId:String} AND ({siteId:String} = '' OR site_id = {siteId:String})
         AND ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND contract_version = '' AND is_bot = 0
       GROUP BY sent_name
       UNION ALL
       SELECT sent_name, count() AS seen, count() AS held, max(toUnixTimestamp64Milli(ts)) AS last
       FROM quarantine
       WHERE workspace_id = {workspaceId:String} AND ({siteId:String} = '' OR site_id = {siteId:String})
         AND received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
         AND code IN ('unknown_event', 'invalid_name')
         AND (received_at, event_id) NOT IN (
           SELECT received_at, event_id FROM quarantine_states
           WHERE workspace_id = {workspaceId:String} AND state IN ('released', 'discarded')
             AND received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC'))
       GROUP BY sent_name
     ) AS s
     GROUP BY sent_name ORDER BY sum(s.seen) DESC, sent_name LIMIT {names:UInt32}`,
    { workspaceId, siteId, since: sinceMs, names: namesMax },
  )
}

type Sample = Readonly<Record<string, unknown>>

/** The newest stored events of a name, as they were sent. */
export async function selectStoredSample(
  events: Events,
  { workspaceId, siteId, sinceMs }: ProposalScope,
  sentNames: readonly string[],
  limit: number,
): Promise<Sample[]> {
  const rows = await events.query<Pick<StoredColumns, 'properties' | 'set_aside'>>(
    `SELECT properties, set_aside FROM events
     WHERE workspace_id = {workspaceId:String} AND ({siteId:String} = '' OR site_id = {siteId:String})
       AND ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND is_bot = 0
       AND sent_name IN {sentNames:Array(String)}
     ORDER BY ts DESC, event_id DESC LIMIT {limit:UInt32}`,
    { workspaceId, siteId, since: sinceMs, sentNames, limit },
  )
  return rows.map(keptProperties)
}

/** The newest quarantined events of a name. */
export async function selectHeldSample(
  events: Events,
  { workspaceId, siteId, sinceMs }: ProposalScope,
  sentNames: readonly string[],
  limit: number,
): Promise<Sample[]> {
  const rows = await events.query<{ held: string }>(
    `SELECT held FROM quarantine
     WHERE workspace_id = {workspaceId:String} AND ({siteId:String} = '' OR site_id = {siteId:String})
       AND received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
       AND sent_name IN {sentNames:Array(String)} AND code IN ('unknown_event', 'invalid_name')
     ORDER BY received_at DESC, event_id DESC LIMIT {limit:UInt32}`,
    { workspaceId, siteId, since: sinceMs, sentNames, limit },
  )
  // boundary: the write path wrote this JSON and nobody else can.
  return rows.map(({ held }) => (JSON.parse(held) as { event: { properties: Sample } }).event.properties)
}
