import { type EventColumn, eventColumnList } from '../store/event-columns.ts'
import type { Events, FileFormat } from '../store/events.ts'
import { lineColumns } from './loader/line-columns.ts'
import { errorLines } from './loader/staged-store.ts'

const lineStructure = lineColumns.map(([name, type]) => `${name} ${type}`).join(', ')

export const asTime = (column: string) => `fromUnixTimestamp64Milli(${column}, 'UTC')`

/** The same token twice is stored once, so a segment whose load was interrupted is simply loaded again. */
export const loadSettings = (token: string) =>
  `SETTINGS insert_deduplicate = 1, insert_deduplication_token = '${token}', max_partitions_per_insert_block = 0,
   max_insert_threads = 1`

/** Created again at every start, since an earlier release may have left one with another schema. */
export async function createStaging(events: Events, staging: string): Promise<void> {
  await events.command(`DROP TABLE IF EXISTS ${staging}`)
  await events.command(`CREATE TABLE ${staging} (${lineStructure}) ENGINE = Memory`)
}

/** Reads a segment or its blocks into memory; everything else copies columns. The table is empty before. */
export async function stageSegment(
  events: Events,
  staging: string,
  path: string,
  format: FileFormat = 'JSONEachRow',
): Promise<void> {
  await events.insertFile(staging, lineStructure, path, format)
}

export async function clearStaging(events: Events, staging: string): Promise<void> {
  await events.command(`TRUNCATE TABLE ${staging}`)
}

const stagedIds = (staging: string) => `(id_hi, id_lo) IN (SELECT id_hi, id_lo FROM ${staging})`

/**
 * Another node may have stored the same id; a released event's id exists since it was quarantined. An event
 * of a public sender on another node does not block one of a secret sender.
 */
const notByOthers = (staging: string) => `(state = 'released'
  OR (id_hi, id_lo) NOT IN (
    SELECT id_hi, id_lo FROM event_ids WHERE kind = 0 AND is_public = 0 AND ${stagedIds(staging)})
  AND (is_public = 0 OR (id_hi, id_lo) NOT IN (
    SELECT id_hi, id_lo FROM event_ids WHERE kind = 0 AND is_public = 1 AND ${stagedIds(staging)})))`

/**
 * Rows of an earlier attempt with the same segment. The engine records a token and moves rows into place in
 * two steps, and a process can die between them, so after an interrupted attempt the rows themselves are
 * checked, not the token.
 */
const notByEarlierTry = (staging: string, table: 'events' | 'quarantine', time: 'ts' | 'received_at') => `
  (workspace_id, event_id, is_public) NOT IN (
    SELECT workspace_id, event_id, is_public FROM ${table}
    WHERE (workspace_id, event_id) IN (SELECT workspace_id, event_id FROM ${staging})
      AND ${time} >= (SELECT ${asTime(`min(${time})`)} FROM ${staging})
      AND ${time} <= (SELECT ${asTime(`max(${time})`)} FROM ${staging}))`

/** How a segment is loaded: with which token, and what must be checked first. */
export type Load = {
  token: string
  isAgain: boolean
  isShared: boolean
  hasDecisions: boolean
  /** Two nodes may both have set the same event aside: of a segment that contains both, one is stored. */
  hasLetters: boolean
}

const onceOf = ({ hasLetters }: Load, columns: string) =>
  hasLetters ? `ORDER BY s.received_at LIMIT 1 BY ${columns}` : ''

/** The id of a released event exists since it was quarantined; the event itself must not exist. */
const notReleasedYet = (staging: string) => `(state != 'released' OR (id_hi, id_lo, is_public) NOT IN (
  SELECT id_hi, id_lo, is_public FROM event_ids WHERE kind = 0 AND outcome != 'quarantine'
    AND (id_hi, id_lo) IN (SELECT id_hi, id_lo FROM ${staging} WHERE state = 'released')))`

/** A column of an event, from the members of its line. */
function loadedValue(name: string, { lineType, hashOf, loadedAs }: EventColumn): string {
  if (hashOf !== undefined) return `cityHash64(${hashOf})`
  if (loadedAs !== undefined) return loadedAs
  if (lineType === undefined) return name
  return lineType.startsWith('Nullable(')
    ? `if(isNull(s.${name}), NULL, ${asTime(`assumeNotNull(s.${name})`)})`
    : asTime(`s.${name}`)
}

/** Releases always check whether the event exists, since two nodes may release the same one. */
export async function insertEvents(events: Events, staging: string, load: Load): Promise<void> {
  await events.command(`
    INSERT INTO events (${eventColumnList.map(([name]) => name).join(', ')})
    ${loadSettings(`${load.token}:events`)}
    SELECT ${eventColumnList.map(([name, column]) => loadedValue(name, column)).join(', ')}
    FROM ${staging} AS s
    WHERE outcome IN ('accept', 'warn') AND repeats = 0
      ${load.hasDecisions ? `AND ${notReleasedYet(staging)}` : ''}
      ${load.isShared ? `AND ${notByOthers(staging)}` : ''}
      ${load.isAgain ? `AND ${notByEarlierTry(staging, 'events', 'ts')}` : ''}
    ${onceOf(load, 'workspace_id, event_id, is_public')}`)
}

/**
 * When each error of the segment was first and last seen, by its events, now or in an earlier attempt.
 * Idempotent, so it needs no token.
 */
export async function insertErrorSightings(events: Events, staging: string): Promise<void> {
  await events.command(`
    INSERT INTO error_sightings (workspace_id, site_id, error_key, error_type, error_title, error_culprit,
                                 first_ts, last_ts)
    SELECT workspace_id, site_id, error_key, any(error_type), any(error_title), any(error_culprit), min(ts), max(ts)
    FROM events
    WHERE (workspace_id, site_id, ts, event_id) IN (
        SELECT workspace_id, site_id, ${asTime('s.ts')}, event_id FROM ${staging} AS s WHERE ${errorLines})
      AND name = 'error' AND is_bot = 0
    GROUP BY workspace_id, site_id, error_key`)
}

export async function insertQuarantine(events: Events, staging: string, load: Load): Promise<void> {
  await events.command(`
    INSERT INTO quarantine (workspace_id, site_id, received_at, event_id, name, sent_name, code, person_id, held,
                            is_public)
    ${loadSettings(`${load.token}:quarantine`)}
    SELECT workspace_id, site_id, ${asTime('s.received_at')}, event_id, name, sent_name, code, person_id, held,
           is_public
    FROM ${staging} AS s
    WHERE outcome = 'quarantine' AND repeats = 0
      ${load.isAgain ? `AND ${notByEarlierTry(staging, 'quarantine', 'received_at')}` : ''}
    ${onceOf(load, 'workspace_id, event_id, is_public')}`)
}

/** Decisions about quarantined events; the event itself stays in the quarantine unchanged. */
export async function insertQuarantineStates(events: Events, staging: string, load: Load): Promise<void> {
  await events.command(`
    INSERT INTO quarantine_states (workspace_id, received_at, event_id, state, decided_at, decided_by, decision_id,
                                   person_id, name, code, issues, patch)
    ${loadSettings(`${load.token}:states`)}
    SELECT workspace_id, ${asTime('s.received_at')}, event_id, state, ${asTime('s.decided_at')},
           decided_by, decision_id,
           person_id, name, code, issues, patch
    FROM ${staging} AS s
    WHERE state != ''
      ${load.isAgain ? `AND (workspace_id, event_id, decision_id) NOT IN (${decisionsThere(staging)})` : ''}`)
}

const decisionsThere = (staging: string) => `
  SELECT workspace_id, event_id, decision_id FROM quarantine_states
  WHERE (workspace_id, event_id, decision_id) IN (
    SELECT workspace_id, event_id, decision_id FROM ${staging} WHERE state != '')`

/**
 * Kind 0 is an event id, kind 1 an order id: the first sighting of each by a public and by a secret sender. A
 * released event has a second row for its id, from the day of its release on.
 */
export async function insertEventIds(events: Events, staging: string, load: Load): Promise<void> {
  await events.command(`
    INSERT INTO event_ids (id_hi, id_lo, kind, workspace_id, id, event_id, site_id, ts, received_at, outcome,
                           is_public)
    ${loadSettings(`${load.token}:ids`)}
    SELECT id.1, id.2, id.3, workspace_id, id.4, event_id, site_id, ${asTime('s.ts')},
           ${asTime('greatest(s.received_at, s.decided_at)')}, outcome, is_public
    FROM ${staging} AS s
    ARRAY JOIN if(order_hi = 0 AND order_lo = 0,
                  [(id_hi, id_lo, 0, event_id)],
                  [(id_hi, id_lo, 0, event_id), (order_hi, order_lo, 1, order_id)]) AS id
    WHERE outcome IN ('accept', 'warn', 'quarantine') AND repeats = 0
      ${load.isAgain ? `AND (id.1, id.2, id.3, outcome, is_public) NOT IN (${idsThere(staging)})` : ''}
    ${onceOf(load, 'id.1, id.2, id.3, outcome, is_public')}`)
}

const idsThere = (staging: string) => `
  SELECT id_hi, id_lo, kind, outcome, is_public FROM event_ids
  WHERE (id_hi, id_lo) IN (
    SELECT id_hi, id_lo FROM ${staging} UNION ALL SELECT order_hi, order_lo FROM ${staging})`

/** Of one workspace, or of all. */
const idsOf = (workspaceId: string | null) =>
  workspaceId === null ? '' : 'AND workspace_id = {workspaceId:String}'

/** Days, counted from 1970, with new ids since; oldest first. */
export async function selectIdDays(
  events: Events,
  sinceMs: number,
  workspaceId: string | null,
): Promise<number[]> {
  const rows = await events.query<{ day: number }>(
    `SELECT DISTINCT toInt32(toDate32(received_at)) AS day FROM event_ids
     WHERE received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') ${idsOf(workspaceId)} ORDER BY day`,
    { since: sinceMs, ...(workspaceId !== null && { workspaceId }) },
  )
  return rows.map((row) => Number(row.day))
}

/**
 * Ids of one day as little-endian bytes: hi, lo, kind, and the rank of the outcome, with a bit for public
 * senders; the dedup index is rebuilt from them.
 */
export function selectIdsOfDay(
  events: Events,
  dayStartMs: number,
  dayEndMs: number,
  workspaceId: string | null,
): Promise<Buffer> {
  return events.bytes(
    `SELECT id_hi, id_lo, kind, toUInt8(indexOf(['accept', 'warn', 'quarantine'], outcome) - 1 + 4 * is_public)
     FROM event_ids
     WHERE received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
       AND received_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC') ${idsOf(workspaceId)}
     FORMAT RowBinary`,
    { from: dayStartMs, to: dayEndMs, ...(workspaceId !== null && { workspaceId }) },
  )
}

export type IdRow = {
  kind: number
  event_id: string
  site_id: string
  ts_ms: string | number
  outcome: string
  is_public: number
}

/**
 * Where an acknowledged id is stored, or nothing: fast for any length of history, since ids are the sorting
 * key. Returns the later place of a released event, and the secret sender's if both sent it.
 */
export async function findId(
  events: Events,
  hash: { hi: number; lo: number },
  workspaceId: string,
  kind: 0 | 1,
  id: string,
): Promise<IdRow | null> {
  const [row] = await events.query<IdRow>(
    `SELECT kind, event_id, site_id, toUnixTimestamp64Milli(ts) AS ts_ms, outcome, is_public FROM event_ids
     WHERE id_hi = {hi:UInt32} AND id_lo = {lo:UInt32} AND kind = {kind:UInt8}
       AND workspace_id = {workspaceId:String} AND id = {id:String}
     ORDER BY is_public, outcome = 'quarantine', received_at LIMIT 1`,
    { hi: hash.hi, lo: hash.lo, kind, workspaceId, id },
  )
  return row ?? null
}

export type SessionRow = {
  site_id: string
  person_id: string
  anonymous_id: string
  session_id: string
  resolved_by: string
  is_public: string | number
  first_ms: string
  last_ms: string
}

/** The latest number given to an event that arrived since; 0 for none. */
export async function selectLastArrival(events: Events, sinceMs: number): Promise<number> {
  const [row] = await events.query<{ last: string | number }>(
    `SELECT max(arrival) AS last FROM events
     WHERE received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')`,
    { since: sinceMs },
  )
  return Number(row?.last ?? 0)
}

/**
 * Sessions that an event may still continue. After a large import they are more than fit into memory: then
 * those of the latest events.
 */
export function selectOpenSessions(
  events: Events,
  sinceMs: number,
  most: { events: number; sessions: number },
): Promise<SessionRow[]> {
  const isSince = "received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')"
  return events.query<SessionRow>(
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
