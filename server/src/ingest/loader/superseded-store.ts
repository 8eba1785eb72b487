import type { Events } from '../../store/events.ts'

const idsOfSegment = (staging: string) => `
    SELECT id_hi, id_lo FROM ${staging} WHERE repeats = 0
    UNION ALL
    SELECT order_hi, order_lo FROM ${staging} WHERE order_hi != 0 OR order_lo != 0`

/** Ids and orders of a segment, in the table of all acknowledged ones. */
const ofSegment = (staging: string) =>
  `outcome != 'quarantine' AND (id_hi, id_lo) IN (${idsOfSegment(staging)})`

/**
 * Public events that a secret sender sent too, by id or by order, in either order of arrival. Checked from
 * both sides, so that of two nodes that load concurrently the later one finds it.
 */
const superseded = (staging: string) => `
  SELECT p.workspace_id AS workspace_id, p.site_id AS site_id, p.ts AS ts, p.event_id AS event_id,
         s.first_id AS by_event_id, if(p.kind = 0, 'event_id', 'order_id') AS cause
  FROM (
    SELECT id_hi, id_lo, kind, workspace_id, id, site_id, ts, event_id FROM event_ids
    WHERE is_public = 1 AND ${ofSegment(staging)}
  ) AS p
  INNER JOIN (
    SELECT id_hi, id_lo, kind, workspace_id, id, argMin(event_id, received_at) AS first_id FROM event_ids
    WHERE is_public = 0 AND ${ofSegment(staging)}
    GROUP BY id_hi, id_lo, kind, workspace_id, id
  ) AS s ON s.id_hi = p.id_hi AND s.id_lo = p.id_lo AND s.kind = p.kind AND s.workspace_id = p.workspace_id
    AND s.id = p.id`

/**
 * Whether any id or order of the segment came more than once, by whatever sender and node. Every load on a server
 * checks this, once its own ids are stored, and nearly none finds any: so few need the exact queries.
 */
export async function hasRepeatedIds(events: Events, staging: string): Promise<boolean> {
  const found = await events.query(
    `SELECT 1 AS found FROM event_ids WHERE (id_hi, id_lo) IN (${idsOfSegment(staging)})
     GROUP BY id_hi, id_lo, kind HAVING count() > 1 LIMIT 1`,
  )
  return found.length > 0
}

type SupersededRow = { workspace_id: string; site_id: string; from_ms: string | number }

/** Sites of the segment with events that stopped counting, and the earliest time of these. */
export function selectStagedSuperseded(events: Events, staging: string): Promise<SupersededRow[]> {
  return events.query<SupersededRow>(
    `SELECT toString(workspace_id) AS workspace_id, toString(site_id) AS site_id,
            toUnixTimestamp64Milli(min(ts)) AS from_ms
     FROM (${superseded(staging)}) GROUP BY workspace_id, site_id`,
  )
}

/** Idempotent, so it needs no token. */
export async function insertSuperseded(events: Events, staging: string): Promise<void> {
  await events.command(`
    INSERT INTO superseded_events (workspace_id, site_id, ts, event_id, by_event_id, cause)
    SELECT workspace_id, site_id, ts, event_id, by_event_id, cause FROM (${superseded(staging)})`)
}

type Supersession = { event_id: string; by_event_id: string; cause: string }

/** What an event was superseded by, and which ones it superseded itself. */
export function selectSupersessions(
  events: Events,
  workspaceId: string,
  siteId: string,
  eventId: string,
): Promise<Supersession[]> {
  return events.query<Supersession>(
    `SELECT event_id, by_event_id, toString(cause) AS cause FROM superseded_events FINAL
     WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
       AND (event_id = {eventId:String} OR by_event_id = {eventId:String})
     ORDER BY ts, event_id LIMIT 100`,
    { workspaceId, siteId, eventId },
  )
}
