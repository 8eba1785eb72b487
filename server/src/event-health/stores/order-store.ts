import type { Count, Events } from '../../store/events.ts'
import { type HealthScope, mine, type Span, time } from './measures.ts'

type SightingRow = {
  order_id: string
  kind: 'browser' | 'server' | 'webhook'
  name: string
  event_id: string
  platform_id: string
  ms: Count
  amount: string | null
  currency: string
}

/** Every purchase that names an order, also those that did not count since the order was known. */
export function selectSightings(
  events: Events,
  scope: HealthScope,
  span: Span,
  trustedKeys: readonly string[],
  rows: number,
): Promise<SightingRow[]> {
  return events.query<SightingRow>(
    `SELECT order_id, multiIf(startsWith(endpoint, 'webhook:'), 'webhook',
            key_id IN {trustedKeys:Array(String)}, 'server',
                    'browser') AS kind,
            name, event_id, if(JSONExtractString(properties, 'event_id') = '', event_id,
                               JSONExtractString(properties, 'event_id')) AS platform_id,
            toUnixTimestamp64Milli(ts) AS ms, toString(amount) AS amount, currency
     FROM events
     WHERE ${mine} AND name = '$purchase' AND order_id != '' AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
     ORDER BY ts DESC, event_id LIMIT {rows:UInt32}`,
    { ...scope, ...span, trustedKeys, rows },
  )
}

type StoredRecord = {
  event_id: string
  name: string
  ms: Count
  person_id: string
  anonymous_id: string
  source: string
  properties: string
}

export async function selectRecord(
  events: Events,
  workspaceId: string,
  { siteId, tsMs, eventId }: { siteId: string; tsMs: number; eventId: string },
): Promise<StoredRecord | null> {
  const [row] = await events.query<StoredRecord>(
    `SELECT event_id, name, toUnixTimestamp64Milli(ts) AS ms, person_id, anonymous_id,
            concat(toString(surface), ' ', toString(endpoint)) AS source, properties
     FROM events
     WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String} AND ts = ${time('tsMs')}
       AND event_id = {eventId:String} LIMIT 1`,
    { workspaceId, siteId, tsMs, eventId },
  )
  return row ?? null
}
