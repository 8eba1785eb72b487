import { currentPeople, type EventSource } from '../../store/event-source.ts'
import type { Count, Events } from '../../store/events.ts'
import type { Touch } from './touch.ts'

/** A day, as `2026-03-01`, and the run that computed its rows. */
export type DayRun = { day: string; run: string }

const isBare = `(referrer_host = '' AND utm_source = '' AND utm_medium = '' AND utm_campaign = ''
        AND click_id_type = '')`
/** A session's touchpoint is its first attributable event, or else its first event. */
const facts = `argMin((ts, event_id, person_id, referrer_host, utm_source, utm_medium, utm_campaign, click_id_type,
               is_bot, arrival), (${isBare}, ts, arrival, event_id))`
const time = (parameter: string) => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`

/** Extracts the touchpoints of some days of a site from its events, inside the store. */
export async function extractTouches(
  events: Events,
  source: EventSource,
  scope: { workspaceId: string; siteId: string; fromMs: number; toMs: number; run: string },
): Promise<void> {
  await events.command(
    `INSERT INTO attribution_touches
       (workspace_id, site_id, day, run, person_id, person_key, session_key, ts, event_id, referrer_host, utm_source,
        utm_medium, utm_campaign, click_id_type, is_bot, arrival)
     SELECT {workspaceId:String}, {siteId:String}, day, {run:String}, f.3, cityHash64(f.3), session_key, f.1, f.2, f.4,
            f.5, f.6, f.7, f.8, f.9, f.10
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

type TouchRow = {
  /** Its current person. */
  owner_id: string
  original_id: string
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
  arrival: Count
}

export function toTouch(row: TouchRow): Touch {
  return {
    id: row.event_id,
    ms: Number(row.ms),
    siteId: row.site_id,
    sessionKey: row.session,
    originalId: row.original_id,
    isBot: row.is_bot === 1,
    arrival: Number(row.arrival),
    referrerHost: row.referrer_host,
    utmSource: row.utm_source,
    utmMedium: row.utm_medium,
    utmCampaign: row.utm_campaign,
    clickIdType: row.click_id_type,
  }
}

/** Rows of the runs of these days. */
export const inRuns = runsIn('days', 'runs')

function runsIn(days: string, runs: string): string {
  return `(day, run) IN (
         SELECT arrayJoin(arrayZip(arrayMap(one -> toDate(one), {${days}:Array(String)}), {${runs}:Array(String)})))`
}

export function runParams(runs: readonly DayRun[]): { days: string[]; runs: string[] } {
  return { days: runs.map(({ day }) => day), runs: runs.map(({ run }) => run) }
}

type TouchesRow = {
  owner_id: string
  touches: [
    originalId: string,
    siteId: string,
    session: string,
    ms: Count,
    eventId: string,
    referrerHost: string,
    utmSource: string,
    utmMedium: string,
    utmCampaign: string,
    clickIdType: string,
    isBot: number,
    arrival: Count,
  ][]
}

/**
 * Touchpoints of those days that belong to these people now. The table is ordered by original person, so
 * these are looked up first, and only their rows are read.
 */
export async function selectTouches(
  events: Events,
  workspaceId: string,
  runs: readonly DayRun[],
  people: readonly string[],
): Promise<Map<string, Touch[]>> {
  const rows = await events.query<TouchesRow>(
    `SELECT if(m.original_key = 0, t.person_id, m.current_id) AS owner_id,
            groupArray((t.person_id, t.site_id, toString(t.session_key), toUnixTimestamp64Milli(t.ts), t.event_id,
              t.referrer_host, t.utm_source, t.utm_medium, t.utm_campaign, t.click_id_type, t.is_bot,
              t.arrival)) AS touches
     FROM (
       SELECT * FROM attribution_touches
       WHERE workspace_id = {workspaceId:String} AND ${inRuns} AND person_key IN (
         SELECT cityHash64(arrayJoin({people:Array(String)}))
         UNION ALL
         SELECT original_key FROM (${currentPeople('workspaceId')}) WHERE current_id IN {people:Array(String)})
     ) AS t
     LEFT ANY JOIN (${currentPeople('workspaceId')}) AS m ON t.person_key = m.original_key
     WHERE owner_id IN {people:Array(String)}
     GROUP BY owner_id`,
    { workspaceId, ...runParams(runs), people },
  )
  return new Map(rows.map((row) => [row.owner_id, row.touches.map(touchOf)]))
}

function touchOf(of: TouchesRow['touches'][number]): Touch {
  const [
    originalId,
    siteId,
    sessionKey,
    ms,
    id,
    referrerHost,
    utmSource,
    utmMedium,
    utmCampaign,
    clickIdType,
    isBot,
    arrival,
  ] = of
  const facts = { referrerHost, utmSource, utmMedium, utmCampaign, clickIdType }
  const when = { ms: Number(ms), arrival: Number(arrival) }
  return { id, ...when, siteId, sessionKey, originalId, isBot: isBot === 1, ...facts }
}

/**
 * Touchpoints of one person, given by all original ids, straight from the events: no back-fill changes the
 * source of a visit. The projection by person finds the times of their events, as for a timeline.
 */
export function selectTouchesOf(
  events: Events,
  workspaceId: string,
  originalIds: readonly string[],
  rows: number,
): Promise<TouchRow[]> {
  const person = `workspace_id = {workspaceId:String}
         AND person_key IN (SELECT cityHash64(arrayJoin({originalIds:Array(String)})))`
  return events.query<TouchRow>(
    `SELECT f.3 AS owner_id, f.3 AS original_id, site_id, session, toUnixTimestamp64Milli(f.1) AS ms, f.2 AS event_id,
            f.4 AS referrer_host, f.5 AS utm_source, f.6 AS utm_medium, f.7 AS utm_campaign, f.8 AS click_id_type,
            f.9 AS is_bot, f.10 AS arrival
     FROM (
       SELECT site_id, toString(session_key) AS session, ${facts} AS f FROM events
       WHERE ${person} AND (site_id, ts) IN (SELECT site_id, ts FROM events WHERE ${person})
         AND channel != '' AND session_key != cityHash64('')
       GROUP BY site_id, session
     ) ORDER BY f.1 DESC, f.10 DESC, f.2 DESC LIMIT {rows:UInt32}`,
    { workspaceId, originalIds, rows },
  )
}

const bareKey = "cityHash64('', '', '', '', '')"

/** A path as channel numbers, without repeats, and how many people took it. */
type NullPathRow = { path: number[]; people: Count }

/** The channel number of each combination of facts, by its key. */
type ChannelNumbers = { facts: readonly bigint[]; numbers: readonly number[] }

/**
 * Paths of people without an outcome in those days. A session over midnight was read on both days; its first
 * attributable event is used.
 */
export function selectNullPaths(
  events: Events,
  workspaceId: string,
  touchRuns: readonly DayRun[],
  outcomeRuns: readonly DayRun[],
  channels: ChannelNumbers,
  rows: number,
): Promise<NullPathRow[]> {
  return events.query<NullPathRow>(
    `SELECT path, count() AS people FROM (
       SELECT arrayCompact(arrayMap(x -> x.4, arraySort(x -> (x.2, x.5, x.1),
                arrayFilter((x, times) -> times = 1, found, arrayEnumerateUniq(arrayMap(x -> x.1, found)))))) AS path
       FROM (
         SELECT arraySort(x -> (x.3, x.2, x.5), groupArray((session_key, ms, is_bare, channel, arrival))) AS found
         FROM (
           SELECT if(m.original_key = 0, t.person_key, m.current_key) AS owner_key, session_key, ms, is_bare, channel,
                  arrival
           FROM (
             SELECT person_key, session_key, arrival, toUnixTimestamp64Milli(ts) AS ms,
                    facts_key = ${bareKey} AS is_bare,
                    transform(facts_key, {facts:Array(UInt64)}, {numbers:Array(UInt16)}, toUInt16(0)) AS channel
             FROM attribution_touches WHERE workspace_id = {workspaceId:String} AND is_bot = 0 AND ${inRuns}
           ) AS t
           LEFT ANY JOIN (${currentPeople('workspaceId')}) AS m ON t.person_key = m.original_key
         )
         WHERE owner_key NOT IN (
           SELECT cityHash64(person_id) FROM attribution_outcomes
           WHERE workspace_id = {workspaceId:String} AND ${runsIn('outcomeDays', 'outcomeRuns')})
         GROUP BY owner_key
       )
     ) GROUP BY path ORDER BY people DESC, path LIMIT {rows:UInt32}`,
    {
      workspaceId,
      ...runParams(touchRuns),
      outcomeDays: outcomeRuns.map(({ day }) => day),
      outcomeRuns: outcomeRuns.map(({ run }) => run),
      ...channels,
      rows,
    },
  )
}

type FactsRow = {
  facts: string
  referrer_host: string
  utm_source: string
  utm_medium: string
  utm_campaign: string
  click_id_type: string
}

/** All distinct facts of touchpoints of those days, with their key. */
export function selectFacts(
  events: Events,
  workspaceId: string,
  runs: readonly DayRun[],
): Promise<FactsRow[]> {
  return events.query<FactsRow>(
    `SELECT toString(facts_key) AS facts, any(t.referrer_host) AS referrer_host, any(t.utm_source) AS utm_source,
            any(t.utm_medium) AS utm_medium, any(t.utm_campaign) AS utm_campaign,
            any(t.click_id_type) AS click_id_type
     FROM attribution_touches AS t WHERE workspace_id = {workspaceId:String} AND ${inRuns}
     GROUP BY facts_key`,
    { workspaceId, ...runParams(runs) },
  )
}

/** Rows of runs that belong to no day any more. */
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
