import { type EventColumn, eventColumnList } from '../../store/event-columns.ts'
import type { Events } from '../../store/events.ts'
import { asTime, type Load, loadSettings } from './load-settings.ts'
import { errorLines } from './staged-store.ts'

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
