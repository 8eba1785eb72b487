import { currentPeople, type EventSource } from '../store/event-source.ts'
import type { Events } from '../store/events.ts'
import type { Touch } from './touch.ts'

type Count = string | number

/** A day, as `2026-03-01`, and the run whose rows are its. */
export type DayRun = { day: string; run: string }

const isBare = `(referrer_host = '' AND utm_source = '' AND utm_medium = '' AND utm_campaign = ''
        AND click_id_type = '')`
/** What says where a session came from stands for it, or else its first event. */
const facts = `argMin((ts, event_id, person_id, referrer_host, utm_source, utm_medium, utm_campaign, click_id_type,
               is_bot), (${isBare}, ts, event_id))`
const time = (parameter: string) => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`

/** Takes the touchpoints of some days of a site out of its events, all inside the store. */
export async function extractTouches(
  events: Events,
  source: EventSource,
  scope: { workspaceId: string; siteId: string; fromMs: number; toMs: number; run: string },
): Promise<void> {
  await events.command(
    `INSERT INTO attribution_touches
       (workspace_id, site_id, day, run, person_id, person_key, session_key, ts, event_id, referrer_host, utm_source,
        utm_medium, utm_campaign, click_id_type, is_bot)
     SELECT {workspaceId:String}, {siteId:String}, day, {run:String}, f.3, cityHash64(f.3), session_key, f.1, f.2, f.4,
            f.5, f.6, f.7, f.8, f.9
     FROM (
       SELECT toDate(ts, 'UTC') AS day, session_key, ${facts} AS f
       FROM ${source.from}
       WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
         AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
         AND channel != '' AND person_id != '' AND session_key != cityHash64('')
       GROUP BY day, session_key
     )`,
    { ...source.params, ...scope },
  )
}

export type TouchRow = {
  /** Whom it belongs to now. */
  owner_id: string
  born_id: string
  site_id: string
  session: string
  ms: Count
  event_id: string
  referrer_host: string
  utm_source: string
  utm_medium: string
  utm_campaign: string
  click_id_type: string
  is_bot: number
}

export function toTouch(row: TouchRow): Touch {
  return {
    id: row.event_id,
    ms: Number(row.ms),
    siteId: row.site_id,
    sessionKey: row.session,
    bornId: row.born_id,
    isBot: row.is_bot === 1,
    referrerHost: row.referrer_host,
    utmSource: row.utm_source,
    utmMedium: row.utm_medium,
    utmCampaign: row.utm_campaign,
    clickIdType: row.click_id_type,
  }
}

const inRuns = `(toString(day), run) IN (SELECT arrayJoin(arrayZip({days:Array(String)}, {runs:Array(String)})))`

export function runParams(runs: readonly DayRun[]): { days: string[]; runs: string[] } {
  return { days: runs.map(({ day }) => day), runs: runs.map(({ run }) => run) }
}

/** Touchpoints of those days that belong to these people now. */
export async function selectTouches(
  events: Events,
  workspaceId: string,
  runs: readonly DayRun[],
  people: readonly string[],
): Promise<TouchRow[]> {
  return events.query<TouchRow>(
    `SELECT if(m.born_key = 0, t.person_id, m.current_id) AS owner_id, t.person_id AS born_id, t.site_id AS site_id,
            toString(t.session_key) AS session, toUnixTimestamp64Milli(t.ts) AS ms, t.event_id AS event_id,
            t.referrer_host AS referrer_host, t.utm_source AS utm_source, t.utm_medium AS utm_medium,
            t.utm_campaign AS utm_campaign, t.click_id_type AS click_id_type, t.is_bot AS is_bot
     FROM (SELECT * FROM attribution_touches WHERE workspace_id = {workspaceId:String} AND ${inRuns}) AS t
     LEFT ANY JOIN (${currentPeople('workspaceId')}) AS m ON t.person_key = m.born_key
     WHERE owner_id IN {people:Array(String)}`,
    { workspaceId, ...runParams(runs), people },
  )
}

/**
 * Touchpoints of one person, given by all ids as born, straight from the events: no back-fill changes where somebody
 * came from. The projection by person tells at which times their events lie, as for a timeline.
 */
export function selectTouchesOf(
  events: Events,
  workspaceId: string,
  bornIds: readonly string[],
  rows: number,
): Promise<TouchRow[]> {
  const person = `workspace_id = {workspaceId:String}
         AND person_key IN (SELECT cityHash64(arrayJoin({bornIds:Array(String)})))`
  return events.query<TouchRow>(
    `SELECT f.3 AS owner_id, f.3 AS born_id, site_id, session, toUnixTimestamp64Milli(f.1) AS ms, f.2 AS event_id,
            f.4 AS referrer_host, f.5 AS utm_source, f.6 AS utm_medium, f.7 AS utm_campaign, f.8 AS click_id_type,
            f.9 AS is_bot
     FROM (
       SELECT site_id, toString(session_key) AS session, ${facts} AS f FROM events
       WHERE ${person} AND (site_id, ts) IN (SELECT site_id, ts FROM events WHERE ${person})
         AND channel != '' AND session_key != cityHash64('')
       GROUP BY site_id, session
     ) ORDER BY f.1 DESC, f.2 DESC LIMIT {rows:UInt32}`,
    { workspaceId, bornIds, rows },
  )
}

export type NullPathRow = { path: string[]; people: Count }

/** Ways of people who had no outcome in those days, as keys of what they carried, and how many took each. */
export function selectNullPaths(
  events: Events,
  workspaceId: string,
  touchRuns: readonly DayRun[],
  outcomeRuns: readonly DayRun[],
  rows: number,
): Promise<NullPathRow[]> {
  return events.query<NullPathRow>(
    `SELECT path, count() AS people FROM (
       SELECT arrayMap(x -> x.3, arraySort(x -> (x.1, x.2), groupArray((ts, event_id, facts)))) AS path
       FROM (
         SELECT ts, event_id, if(m.born_key = 0, t.person_id, m.current_id) AS person_id,
                toString(cityHash64(referrer_host, utm_source, utm_medium, utm_campaign, click_id_type)) AS facts
         FROM (
           SELECT * FROM attribution_touches
           WHERE workspace_id = {workspaceId:String} AND is_bot = 0 AND ${inRuns}
           ORDER BY ${isBare}, ts, event_id LIMIT 1 BY session_key
         ) AS t
         LEFT ANY JOIN (${currentPeople('workspaceId')}) AS m ON t.person_key = m.born_key
       )
       WHERE person_id NOT IN (
         SELECT person_id FROM attribution_outcomes
         WHERE workspace_id = {workspaceId:String} AND (toString(day), run) IN (
           SELECT arrayJoin(arrayZip({outcomeDays:Array(String)}, {outcomeRuns:Array(String)}))))
       GROUP BY person_id
     ) GROUP BY path ORDER BY people DESC, path LIMIT {rows:UInt32}`,
    {
      workspaceId,
      ...runParams(touchRuns),
      outcomeDays: outcomeRuns.map(({ day }) => day),
      outcomeRuns: outcomeRuns.map(({ run }) => run),
      rows,
    },
  )
}

export type FactsRow = {
  facts: string
  referrer_host: string
  utm_source: string
  utm_medium: string
  utm_campaign: string
  click_id_type: string
}

/** What the keys of a null path stand for. */
export function selectFacts(
  events: Events,
  workspaceId: string,
  runs: readonly DayRun[],
): Promise<FactsRow[]> {
  return events.query<FactsRow>(
    `SELECT DISTINCT toString(cityHash64(referrer_host, utm_source, utm_medium, utm_campaign, click_id_type)) AS facts,
            referrer_host, utm_source, utm_medium, utm_campaign, click_id_type
     FROM attribution_touches WHERE workspace_id = {workspaceId:String} AND ${inRuns}`,
    { workspaceId, ...runParams(runs) },
  )
}

/** Gone from disk when it resolves. */
export async function deleteTouchesOf(
  events: Events,
  workspaceId: string,
  bornIds: readonly string[],
): Promise<void> {
  await events.command(
    `ALTER TABLE attribution_touches DELETE
     WHERE workspace_id = {workspaceId:String} AND person_id IN {ids:Array(String)} SETTINGS mutations_sync = 2`,
    { workspaceId, ids: bornIds },
  )
}

/** Rows of runs that stand for no day any more. */
export async function deleteOldRuns(
  events: Events,
  table: 'attribution_touches' | 'attribution_outcomes',
  workspaceId: string,
  fromDay: string,
  toDay: string,
  current: readonly DayRun[],
): Promise<void> {
  await events.command(
    `DELETE FROM ${table}
     WHERE workspace_id = {workspaceId:String} AND day >= {fromDay:Date} AND day <= {toDay:Date}
       AND NOT (concat(toString(day), ' ', run) IN {current:Array(String)})`,
    { workspaceId, fromDay, toDay, current: current.map(({ day, run }) => `${day} ${run}`) },
  )
}
