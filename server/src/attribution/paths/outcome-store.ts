import { currentPeople, type EventSource } from '../../store/event-source.ts'
import type { Count, Events } from '../../store/events.ts'
import { type DayRun, inRuns, runParams } from './touch-store.ts'

export type OutcomeRow = {
  site_id: string
  event_id: string
  ms: Count
  day: string
  name: string
  owner_id: string
  original_id: string
  amount: string | null
  currency: string
}

export type OutcomeFilter = {
  workspaceId: string
  siteId: string
  fromMs: number
  toMs: number
  names: readonly string[]
  /** Keys that no visitor can have; null if the sender of an outcome does not matter. */
  trustedKeys: readonly string[] | null
  /** One outcome only. */
  eventId?: string
  page?: OutcomePage
}

/** The newest, or those after the last one of the previous page. */
export type OutcomePage = { rows: number; after: { ms: number; eventId: string } | null }

const time = (parameter: string) => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`

/** Outcomes of a site: counted once, with a person, and not from bots. */
export function selectOutcomes(
  events: Events,
  source: EventSource,
  { trustedKeys, eventId, page, ...filter }: OutcomeFilter,
): Promise<OutcomeRow[]> {
  const trusted =
    trustedKeys === null
      ? ''
      : "AND (startsWith(endpoint, 'webhook:') OR key_id IN {trustedKeys:Array(String)})"
  const after = page?.after ?? null
  return events.query<OutcomeRow>(
    `SELECT e.site_id AS site_id, e.event_id AS event_id, toUnixTimestamp64Milli(e.ts) AS ms,
            toString(toDate(e.ts, 'UTC')) AS day, e.name AS name,
            if(m.original_key = 0, e.person_id, m.current_id) AS owner_id, e.person_id AS original_id,
            toString(e.amount) AS amount, e.currency AS currency
     FROM (
       SELECT * FROM ${source.from}
       WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
         AND ts >= ${time('fromMs')} AND ts < ${time('toMs')} AND name IN {names:Array(String)}
         AND counted = 1 AND is_bot = 0 AND person_id != ''
         ${trusted} ${eventId === undefined ? '' : 'AND event_id = {eventId:String}'}
         ${after === null ? '' : `AND (ts, event_id) < (${time('afterMs')}, {afterId:String})`}
       ${page === undefined ? '' : 'ORDER BY ts DESC, event_id DESC LIMIT {rows:UInt32}'}
     ) AS e
     LEFT ANY JOIN (${currentPeople('workspaceId')}) AS m ON e.person_key = m.original_key
     ${page === undefined ? '' : 'ORDER BY e.ts DESC, e.event_id DESC'}`,
    {
      ...source.params,
      ...filter,
      ...(trustedKeys !== null && { trustedKeys }),
      ...(eventId !== undefined && { eventId }),
      ...(page !== undefined && { rows: page.rows }),
      ...(after !== null && { afterMs: after.ms, afterId: after.eventId }),
    },
  )
}

/**
 * Detects whether the events of a day changed: their number, how many count, and when the last one arrived.
 */
export async function selectDayInputs(
  events: Events,
  workspaceId: string,
  siteIds: readonly string[],
  fromMs: number,
  toMs: number,
): Promise<Map<string, string>> {
  const rows = await events.query<{ day: string; events: Count; received_ms: Count }>(
    `SELECT toString(toDate(ts, 'UTC')) AS day, count() AS events,
            toUnixTimestamp64Milli(max(received_at)) AS received_ms
     FROM events
     WHERE workspace_id = {workspaceId:String} AND site_id IN {siteIds:Array(String)}
       AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
     GROUP BY day`,
    { workspaceId, siteIds, fromMs, toMs },
  )
  const gone = await events.query<{ day: string; events: Count }>(
    `SELECT toString(toDate(ts, 'UTC')) AS day, uniqExact(site_id, ts, event_id) AS events FROM superseded_events
     WHERE workspace_id = {workspaceId:String} AND site_id IN {siteIds:Array(String)}
       AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
     GROUP BY day`,
    { workspaceId, siteIds, fromMs, toMs },
  )
  const goneOf = new Map(gone.map((row) => [row.day, ` ${row.events}`]))
  return new Map(rows.map((row) => [row.day, `${row.events} ${row.received_ms}${goneOf.get(row.day) ?? ''}`]))
}

export type ComputedRow = {
  workspace_id: string
  site_id: string
  day: string
  run: string
  outcome_id: string
  ts: string
  name: string
  person_id: string
  people: string[]
  amount: string | null
  currency: string
  touch_ids: string[]
  channels: string[]
  sources: string[]
  campaigns: string[]
  decay_units: string[]
  policy_version: number
}

export function insertComputed(events: Events, rows: readonly ComputedRow[]): Promise<void> {
  return events.insertRows('attribution_outcomes', rows)
}

/** Days with outcomes that any of these people took part in. */
export async function selectDaysOf(
  events: Events,
  workspaceId: string,
  people: readonly string[],
): Promise<string[]> {
  const rows = await events.query<{ day: string }>(
    `SELECT DISTINCT toString(day) AS day FROM attribution_outcomes ARRAY JOIN people AS one
     WHERE workspace_id = {workspaceId:String} AND one IN {people:Array(String)}`,
    { workspaceId, people },
  )
  return rows.map((row) => row.day)
}

type PathRow = { path: string[]; outcomes: Count }

/** Paths that led to an outcome, and how often. */
export function selectConvertingPaths(
  events: Events,
  workspaceId: string,
  runs: readonly DayRun[],
): Promise<PathRow[]> {
  return events.query<PathRow>(
    `SELECT channels AS path, count() AS outcomes FROM attribution_outcomes
     WHERE workspace_id = {workspaceId:String} AND ${inRuns} AND notEmpty(channels) GROUP BY path`,
    { workspaceId, ...runParams(runs) },
  )
}

const groupColumns = { channel: 'channels', campaign: 'campaigns', source: 'sources' } as const
export type GroupBy = keyof typeof groupColumns

type ReportFilter = {
  workspaceId: string
  runs: readonly DayRun[]
  siteId: string | null
  event: string | null
  groupBy: GroupBy
}

/** Amounts are summed as integers of ten-thousandths, so that nothing is lost. */
const amountUnits = 'toInt128(ifNull(amount, 0) * 10000)'

function reportWhere({ siteId, event }: ReportFilter): string {
  return `workspace_id = {workspaceId:String} AND ${inRuns}
       ${siteId === null ? '' : 'AND site_id = {siteId:String}'} ${event === null ? '' : 'AND name = {event:String}'}`
}

function reportParams({ workspaceId, runs, siteId, event }: ReportFilter) {
  return {
    workspaceId,
    ...runParams(runs),
    ...(siteId !== null && { siteId }),
    ...(event !== null && { event }),
  }
}

export type ReportPathRow = {
  path: string[]
  keys: string[]
  currency: string
  outcomes: Count
  total: string
}

/** Outcomes by their path: the five models that depend on order alone are computed from these. */
export function selectReportPaths(events: Events, filter: ReportFilter): Promise<ReportPathRow[]> {
  return events.query<ReportPathRow>(
    `SELECT channels AS path, ${groupColumns[filter.groupBy]} AS keys, currency, count() AS outcomes,
            toString(sum(${amountUnits})) AS total
     FROM attribution_outcomes WHERE ${reportWhere(filter)} GROUP BY path, keys, currency`,
    reportParams(filter),
  )
}

export type DecayRow = { key: string; currency: string; units: string; weighted: string }

export function selectDecay(events: Events, filter: ReportFilter): Promise<DecayRow[]> {
  return events.query<DecayRow>(
    `SELECT key, currency, toString(sum(toInt128(unit))) AS units,
            toString(sum(toInt256(unit) * ${amountUnits})) AS weighted
     FROM attribution_outcomes ARRAY JOIN ${groupColumns[filter.groupBy]} AS key, decay_units AS unit
     WHERE ${reportWhere(filter)} GROUP BY key, currency`,
    reportParams(filter),
  )
}

type StoredOutcome = { policy_version: number; touch_ids: string[] }

export async function selectComputed(
  events: Events,
  workspaceId: string,
  outcomeId: string,
  { day, run }: DayRun,
): Promise<StoredOutcome | null> {
  const [row] = await events.query<StoredOutcome>(
    `SELECT policy_version, touch_ids FROM attribution_outcomes
     WHERE workspace_id = {workspaceId:String} AND day = {day:Date} AND outcome_id = {outcomeId:String}
       AND run = {run:String} LIMIT 1`,
    { workspaceId, day, outcomeId, run },
  )
  return row ?? null
}
