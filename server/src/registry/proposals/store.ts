import type { Events, EventsRow } from '../../store/events.ts'
import { keptProperties, type StoredColumns } from '../backfills/stored-event.ts'

type ProposalScope = { workspaceId: string; siteId: string; sinceMs: number }
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

/** Which spellings are one name. */
type Spellings = { sentNames: readonly string[]; keys: readonly string[] }
/** The newest events of a name: their ids, and between which times they lie. */
type NewestEvents = { ids: string[]; fromMs: number; toMs: number }

const noNewest: ReadonlyMap<string, NewestEvents> = new Map()

const ofScope = (time: 'ts' | 'received_at') => `workspace_id = {workspaceId:String}
       AND ({siteId:String} = '' OR site_id = {siteId:String})
       AND ${time} >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')`

const stored = { table: 'events', time: 'ts', isSampled: 'is_bot = 0' } as const
const quarantined = {
  table: 'quarantine',
  time: 'received_at',
  isSampled: "code IN ('unknown_event', 'invalid_name')",
} as const

/**
 * Which events to take a sample of, for all names in one pass over small columns: what was sent is many times as large,
 * and reading it for every event of every name took a large site a minute.
 */
async function selectNewest(
  events: Events,
  { table, time, isSampled }: typeof stored | typeof quarantined,
  { workspaceId, siteId, sinceMs }: ProposalScope,
  { sentNames, keys }: Spellings,
  limit: number,
): Promise<ReadonlyMap<string, NewestEvents>> {
  if (sentNames.length === 0) return noNewest
  const rows = await events.query<{ key: string; ids: string[]; from_ms: string; to_ms: string }>(
    `SELECT key, groupArray(event_id) AS ids, toString(min(ms)) AS from_ms, toString(max(ms)) AS to_ms
     FROM (
       SELECT transform(toString(sent_name), {sentNames:Array(String)}, {keys:Array(String)}, '') AS key, event_id,
              toUnixTimestamp64Milli(${time}) AS ms
       FROM ${table}
       WHERE ${ofScope(time)} AND ${isSampled} AND sent_name IN {sentNames:Array(String)}
       ORDER BY ms DESC, event_id DESC LIMIT {limit:UInt32} BY key
     ) GROUP BY key`,
    { workspaceId, siteId, since: sinceMs, sentNames, keys, limit },
  )
  return new Map(
    rows.map(({ key, ids, from_ms, to_ms }) => [key, { ids, fromMs: Number(from_ms), toMs: Number(to_ms) }]),
  )
}

type Find = (
  events: Events,
  scope: ProposalScope,
  spellings: Spellings,
  limit: number,
) => Promise<ReadonlyMap<string, NewestEvents>>
export const findStoredSamples: Find = (events, ...rest) => selectNewest(events, stored, ...rest)
export const findQuarantinedSamples: Find = (events, ...rest) => selectNewest(events, quarantined, ...rest)

type Sample = Readonly<Record<string, unknown>>

function selectSample<Row extends EventsRow>(
  events: Events,
  columns: string,
  { table, time }: typeof stored | typeof quarantined,
  { workspaceId, siteId }: ProposalScope,
  { ids, fromMs, toMs }: NewestEvents,
): Promise<Row[]> {
  return events.query<Row>(
    `SELECT ${columns} FROM ${table}
     WHERE ${ofScope(time)} AND ${time} <= fromUnixTimestamp64Milli({until:Int64}, 'UTC')
       AND event_id IN {ids:Array(String)}
     ORDER BY ${time} DESC, event_id DESC LIMIT {limit:UInt32}`,
    { workspaceId, siteId, since: fromMs, until: toMs, ids, limit: ids.length },
  )
}

/** Stored events, as they were sent. */
export async function selectStoredSample(
  events: Events,
  scope: ProposalScope,
  newest: NewestEvents | undefined,
): Promise<Sample[]> {
  if (newest === undefined) return []
  type Row = Pick<StoredColumns, 'properties' | 'set_aside'>
  const rows = await selectSample<Row>(events, 'properties, set_aside', stored, scope, newest)
  return rows.map(keptProperties)
}

/** Quarantined events. */
export async function selectQuarantinedSample(
  events: Events,
  scope: ProposalScope,
  newest: NewestEvents | undefined,
): Promise<Sample[]> {
  if (newest === undefined) return []
  const rows = await selectSample<{ held: string }>(events, 'held', quarantined, scope, newest)
  // boundary: only the write path writes this JSON.
  return rows.map(({ held }) => (JSON.parse(held) as { event: { properties: Sample } }).event.properties)
}
