import type { Events } from '../../store/events.ts'
import { changeRows } from '../../store/row-changes.ts'
import type { StoredColumns } from './stored-event.ts'

type SiteRange = { workspaceId: string; siteId: string; fromMs: number; toMs: number }

const ofSite = 'workspace_id = {workspaceId:String} AND site_id = {siteId:String}'
const inRange = `${ofSite} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
       AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`

/** Which names arrived in a range, as they were sent, and how often; few, since the column is a dictionary. */
export async function selectSentNames(
  events: Events,
  range: SiteRange,
): Promise<{ sent_name: string; events: string }[]> {
  return events.query(
    `SELECT sent_name, toString(count()) AS events FROM events WHERE ${inRange} GROUP BY sent_name`,
    range,
  )
}

export type StoredRow = StoredColumns & {
  received_ms: string
  mapping_rule: string
  name: string
  order_id: string
  counted: number
  session_id: string
  is_bot: number
  is_public: number
}

/** The next stored events of these names, oldest first; two of one id and time come together. */
export async function selectStoredPage(
  events: Events,
  range: SiteRange,
  sentNames: readonly string[],
  after: { ms: number; eventId: string },
  limit: number,
): Promise<StoredRow[]> {
  return events.query<StoredRow>(
    `SELECT event_id, site_id, toString(toUnixTimestamp64Milli(ts)) AS ms,
            toString(toUnixTimestamp64Milli(received_at)) AS received_ms, sent_name, mapping_rule, name, order_id,
            counted, person_id, user_id, anonymous_id, session_id, is_bot, is_public, properties, set_aside,
            context
     FROM events
     WHERE ${inRange} AND ts >= fromUnixTimestamp64Milli({afterMs:Int64}, 'UTC')
       AND sent_name IN {sentNames:Array(String)}
       AND (toUnixTimestamp64Milli(ts), event_id) > ({afterMs:Int64}, {afterId:String})
     ORDER BY ts, event_id LIMIT {limit:UInt32} WITH TIES`,
    { ...range, sentNames, afterMs: after.ms, afterId: after.eventId, limit },
  )
}

export type OverlayRow = {
  backfill_id: string
  workspace_id: string
  site_id: string
  ts: string
  event_id: string
  received_at: string
  person_id: string
  mapping_rule: string
  name: string
  contract_version: string
  outcome: string
  issues: string
  amount: string | null
  currency: string
  order_id: string
  properties: string
  set_aside: string
  stored_name: string
  stored_order_id: string
  stored_counted: number
  is_public: number
}

export async function insertOverlayRows(events: Events, rows: readonly OverlayRow[]): Promise<void> {
  if (rows.length > 0) await events.insertRows('event_overlays', rows)
}

/** A partition cannot be named by a parameter; our own ids are letters, digits and underscores. */
function partition(id: string): string {
  if (!/^[a-z0-9_]+$/.test(id)) throw new Error(`${JSON.stringify(id)} is not one of our ids`)
  return `'${id}'`
}

export async function dropOverlayRows(events: Events, backfillId: string): Promise<void> {
  await events.command(`ALTER TABLE event_overlays DROP PARTITION ${partition(backfillId)}`)
}

export async function dropGeneration(events: Events, generation: string): Promise<void> {
  await events.command(`ALTER TABLE overlaid_events DROP PARTITION ${partition(generation)}`)
  await events.command(`ALTER TABLE overlay_orders DROP PARTITION ${partition(generation)}`)
}

/** Back-fills of one site, of which the newest has the last word on each event. */
export type OverlayScope = { workspaceId: string; siteId: string; backfillIds: readonly string[] }

const standing = `backfill_id IN {backfillIds:Array(String)} AND ${ofSite}`
/** Ids grow with time. Two rows of one back-fill for an event are the same. */
const newestOf = (columns: string, where = standing) => `
  SELECT ${columns} FROM event_overlays WHERE ${where}
  ORDER BY ts, event_id, is_public, backfill_id DESC LIMIT 1 BY ts, event_id, is_public`

export type OverlayDay = { day_ms: number; rows: number; orders: number }

/** How many rows lie on which day, and how many of them are about orders. */
export async function selectOverlayDays(events: Events, of: OverlayScope): Promise<OverlayDay[]> {
  const days = await events.query<Record<keyof OverlayDay, string | number>>(
    `SELECT toUnixTimestamp(toStartOfDay(ts)) * 1000 AS day_ms, count() AS rows,
            countIf((name = '$purchase' AND order_id != '')
                    OR (stored_name = '$purchase' AND stored_order_id != '')) AS orders
     FROM event_overlays WHERE ${standing} GROUP BY day_ms ORDER BY day_ms`,
    of,
  )
  return days.map((day) => ({
    day_ms: Number(day.day_ms),
    rows: Number(day.rows),
    orders: Number(day.orders),
  }))
}

/**
 * Which purchase counts for each affected order: as on arrival, the first of a secret sender, or else the
 * first of a public one. Of those that arrived in the same millisecond it is the one that counts without
 * back-fills, or else the earliest by its own time.
 */
const firstSightings = `
  SELECT order_id, argMin(candidate_id, place) AS event_id, argMin(from_overlay, place) AS is_overlaid
  FROM (
    SELECT order_id, event_id AS candidate_id, toUInt8(1) AS from_overlay,
           (is_public, received_at,
            toUInt8(stored_name != '$purchase' OR stored_order_id != order_id OR stored_counted = 0),
            ts, event_id) AS place
    FROM (${newestOf('*')}) WHERE name = '$purchase' AND order_id != ''
    UNION ALL
    SELECT order_id, event_id, toUInt8(0), (is_public, received_at, toUInt8(counted = 0), ts, event_id)
    FROM events
    WHERE ${ofSite} AND name = '$purchase' AND order_id != ''
      AND order_id IN (
        SELECT arrayJoin([if(name = '$purchase', order_id, ''), if(stored_name = '$purchase', stored_order_id, '')])
        FROM (${newestOf('*')}))
      AND (event_id, is_public) NOT IN (SELECT event_id, is_public FROM event_overlays WHERE ${standing})
  ) GROUP BY order_id`

export async function insertOrders(events: Events, of: OverlayScope, generation: string): Promise<void> {
  await events.command(
    `INSERT INTO overlay_orders (generation, order_id, event_id, is_overlaid)
     SELECT {generation:String}, order_id, event_id, is_overlaid FROM (${firstSightings})`,
    { ...of, generation },
  )
}

/** Purchases of one back-fill that do not count, since another event counts for their order. */
export async function countRepeatedOrders(
  events: Events,
  of: OverlayScope,
  backfillId: string,
): Promise<number> {
  const [row] = await events.query<{ repeated: string | number }>(
    `SELECT count() AS repeated FROM (${newestOf('*')})
     WHERE backfill_id = {backfillId:String} AND name = '$purchase' AND order_id != ''
       AND event_id NOT IN (SELECT event_id FROM (${firstSightings}))`,
    { ...of, backfillId },
  )
  return Number(row?.repeated ?? 0)
}

/**
 * Whether events were ever released: only then was an event counted on arrival under another name or as
 * quarantined.
 */
export async function hasReleases(events: Events, workspaceId: string): Promise<boolean> {
  const rows = await events.query(
    `SELECT 1 AS found FROM quarantine_states WHERE workspace_id = {workspaceId:String} AND state = 'released' LIMIT 1`,
    { workspaceId },
  )
  return rows.length > 0
}

const arrivals = `
  SELECT event_id, name AS arrival_name FROM quarantine
  WHERE workspace_id = {workspaceId:String} AND event_id IN (
    SELECT event_id FROM quarantine_states WHERE workspace_id = {workspaceId:String} AND state = 'released')`

const orders = 'SELECT order_id, event_id FROM overlay_orders WHERE generation = {generation:String}'

type OverlayStep = OverlayScope & { generation: string; hasOrders: boolean; hasReleases: boolean }

/** Writes the rows of a range that stand for stored ones. A stored event that is gone takes its overlay with it. */
export async function layRange(
  events: Events,
  laying: OverlayStep,
  fromMs: number,
  toMs: number,
): Promise<void> {
  const { hasOrders, hasReleases: hasArrivals, ...params } = laying
  const first = hasOrders ? `if(w.order_id != '' AND w.event_id != e.event_id, w.event_id, '')` : `''`
  const isFirst = hasOrders ? `(o.name != '$purchase' OR o.order_id = '' OR w.event_id = e.event_id)` : '1'
  await events.command(
    `INSERT INTO overlaid_events
     SELECT {generation:String} AS generation, o.backfill_id AS backfill_id,
            ${hasArrivals ? `if(q.event_id != '', q.arrival_name, e.name)` : 'e.name'} AS was_name,
            ${hasArrivals ? `q.event_id != ''` : '0'} AS was_held,
            e.* REPLACE (
              o.name AS name, o.mapping_rule AS mapping_rule, o.contract_version AS contract_version,
              o.outcome AS outcome, o.issues AS issues, o.amount AS amount, o.currency AS currency,
              o.order_id AS order_id, ${isFirst} AS counted, ${first} AS duplicate_of,
              o.properties AS properties, o.set_aside AS set_aside)
     FROM (
       SELECT * FROM events
       WHERE ${inRange}
         AND event_key IN (SELECT cityHash64(event_id) FROM event_overlays WHERE ${standing} AND ${inRange})
     ) AS e
     ANY INNER JOIN (${newestOf('*', `${standing} AND ${inRange}`)}) AS o
       ON o.event_id = e.event_id AND o.ts = e.ts AND o.is_public = e.is_public
     ${hasOrders ? `LEFT ANY JOIN (${orders}) AS w ON w.order_id = o.order_id` : ''}
     ${hasArrivals ? `LEFT ANY JOIN (${arrivals}) AS q ON q.event_id = e.event_id` : ''}`,
    { ...params, fromMs, toMs },
  )
}

/** Stored purchases that no back-fill is about and that count, or no longer count, for an order that one touches. */
export async function layRecounted(
  events: Events,
  { workspaceId, siteId, generation }: OverlayStep,
): Promise<void> {
  await events.command(
    `INSERT INTO overlaid_events
     SELECT {generation:String} AS generation, '' AS backfill_id, e.name AS was_name, 0 AS was_held,
            e.* REPLACE (
              w.event_id = e.event_id AS counted,
              if(w.event_id = e.event_id, '', w.event_id) AS duplicate_of)
     FROM (
       SELECT * FROM events
       WHERE ${ofSite} AND name = '$purchase'
         AND order_id IN (SELECT order_id FROM overlay_orders WHERE generation = {generation:String})
         AND (event_id, is_public) NOT IN (
           SELECT event_id, is_public FROM overlaid_events WHERE generation = {generation:String})
     ) AS e
     ANY INNER JOIN (${orders}) AS w ON w.order_id = e.order_id
     WHERE e.counted != (w.event_id = e.event_id)`,
    { workspaceId, siteId, generation },
  )
}

/** Null when nothing lies in it. */
export async function selectExtent(
  events: Events,
  generation: string,
): Promise<{ fromMs: number; toMs: number } | null> {
  const [row] = await events.query<{
    rows: string | number
    from_ms: string | number
    to_ms: string | number
  }>(
    `SELECT count() AS rows, toUnixTimestamp64Milli(min(ts)) AS from_ms, toUnixTimestamp64Milli(max(ts)) + 1 AS to_ms
     FROM overlaid_events WHERE generation = {generation:String}`,
    { generation },
  )
  if (row === undefined || Number(row.rows) === 0) return null
  return { fromMs: Number(row.from_ms), toMs: Number(row.to_ms) }
}

/** What of a site was removed, up to when. */
type RemovedBefore = { workspaceId: string; siteId: string; beforeMs: number }

/**
 * Which purchase of a back-fill counts for an order goes with that purchase. It stays while a kept purchase has the
 * same order, which would count from then on.
 */
export async function deleteOverlayOrders(
  events: Events,
  bound: RemovedBefore,
  generation: string,
): Promise<void> {
  const ofSite = 'workspace_id = {workspaceId:String} AND site_id = {siteId:String}'
  const before = `fromUnixTimestamp64Milli({beforeMs:Int64}, 'UTC')`
  await changeRows(
    events,
    `ALTER TABLE overlay_orders DELETE
     WHERE generation = {generation:String}
       AND event_id IN (SELECT event_id FROM events WHERE ${ofSite} AND ts < ${before})
       AND order_id NOT IN (
         SELECT order_id FROM events WHERE ${ofSite} AND ts >= ${before} AND name = '$purchase' AND order_id != '')`,
    { ...bound, generation },
  )
}
