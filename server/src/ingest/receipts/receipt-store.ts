import type { Events } from '../../store/events.ts'
import type { IdRow } from '../dedup/id-store.ts'

export type OverlaidEvent = { name: string; mapping_rule: string; backfill_id: string; counted: number }

/** Key of one stored event; a public and a secret sender may have sent the same id at the same time. */
type EventPlace = Pick<IdRow, 'site_id' | 'ts_ms' | 'event_id' | 'is_public'>

/** The row that replaces a stored one in the reads of its site. */
export async function selectOverlaid(
  events: Events,
  workspaceId: string,
  generation: string,
  { site_id, ts_ms, event_id, is_public }: EventPlace,
): Promise<OverlaidEvent | null> {
  const [row] = await events.query<OverlaidEvent>(
    `SELECT name, mapping_rule, backfill_id, counted FROM overlaid_events
     WHERE generation = {generation:String} AND workspace_id = {workspaceId:String} AND site_id = {site:String}
       AND ts = fromUnixTimestamp64Milli({ts:Int64}, 'UTC') AND event_id = {id:String}
       AND is_public = {isPublic:UInt8}
     LIMIT 1`,
    { generation, workspaceId, site: site_id, ts: Number(ts_ms), id: event_id, isPublic: Number(is_public) },
  )
  return row ?? null
}

export type StoredEvent = {
  event_id: string
  site_id: string
  received_ms: string | number
  name: string
  sent_name: string
  mapping_rule: string
  contract_version: string
  outcome: 'accept' | 'warn'
  issues: string
  ts_ms: string | number
  sent_ms: string | number | null
  correction_ms: string | number
  person_id: string
  resolved_by: string
  session_id: string
  duplicate_of: string
  counted: number
  bot_reason: string
  consent_record_id: string
}

export async function selectEvent(
  events: Events,
  workspaceId: string,
  { site_id, ts_ms, event_id, is_public }: EventPlace,
): Promise<StoredEvent | null> {
  const [row] = await events.query<StoredEvent>(
    `SELECT event_id, site_id, toUnixTimestamp64Milli(received_at) AS received_ms, name, sent_name, mapping_rule,
            contract_version, outcome, issues, toUnixTimestamp64Milli(ts) AS ts_ms,
            if(isNull(ts_sent), NULL, toUnixTimestamp64Milli(assumeNotNull(ts_sent))) AS sent_ms, correction_ms,
            person_id, resolved_by, session_id, duplicate_of, counted, bot_reason, consent_record_id
     FROM events
     WHERE workspace_id = {workspaceId:String} AND site_id = {site:String}
       AND ts = fromUnixTimestamp64Milli({ts:Int64}, 'UTC') AND event_id = {id:String}
       AND is_public = {isPublic:UInt8}
     LIMIT 1`,
    { workspaceId, site: site_id, ts: Number(ts_ms), id: event_id, isPublic: Number(is_public) },
  )
  return row ?? null
}
