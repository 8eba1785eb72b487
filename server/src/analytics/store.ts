import {
  conversionSql,
  type EventFilter,
  eventNamesOf,
  eventsOf,
  isAfterBorder,
  type SqlCondition,
  type TimeRange,
  type Visits,
  visitsOf,
  withoutPeople,
} from '../store/event-filter.ts'
import { eventOrder } from '../store/event-order.ts'
import type { Count, Events } from '../store/events.ts'
import { passiveEvents } from './passive-events.ts'
import { peopleRows } from './people-row-store.ts'
import type { Period } from './period.ts'

export { passiveEvents }

/** $refund subtracts money; every other event with revenue adds it. */
export const revenueEvents = "('$purchase', '$subscribe', '$refund')"
export const signedAmount = "if(name = '$refund', -amount, amount)"

/** An anonymised event has no person and no session. */
export const visitors = "uniqExactIf(person_key, person_key != cityHash64(''))"
export const sessions = "uniqExactIf(session_key, session_key != cityHash64(''))"

/** A period and the previous one are read together: each statement has a fixed cost. */
export type TwoPeriods = { current: Period; previous: Period }

export function joined({ current, previous }: TwoPeriods): TimeRange {
  const border = { endMs: previous.toMs, startMs: current.fromMs }
  return { fromMs: previous.fromMs, toMs: current.toMs, border }
}

export type TotalsRow = {
  visitors: Count
  sessions: Count
  pageviews: Count
  events: Count
  bounced: Count
  duration_ms: Count
  conversions: Count
  converted: Count
}

const noTotals: TotalsRow = {
  visitors: 0,
  sessions: 0,
  pageviews: 0,
  events: 0,
  bounced: 0,
  duration_ms: 0,
  conversions: 0,
  converted: 0,
}

/**
 * A session that spans both periods counts in each, with its events there. The people of sessions are not
 * read here: a list of people for each of millions of sessions would exhaust the memory.
 */
function totalsSql({ from, where, matches }: Visits, isConversion: string): string {
  return `
    SELECT s.is_current AS is_current, countIf(s.is_visit) AS sessions,
           sum(s.views) AS pageviews, sum(s.all) AS events, countIf(s.active <= 1 AND s.is_visit) AS bounced,
           sumIf(s.length_ms, s.is_visit) AS duration_ms, sum(s.goals) AS conversions,
           countIf(s.goals > 0 AND s.is_visit) AS converted
    FROM (
      SELECT ${isAfterBorder} AS is_current, session_key != cityHash64('') AS is_visit,
             countIf(name = '$pageview' AND ${matches}) AS views, countIf(${matches}) AS all,
             countIf(name NOT IN ${passiveEvents}) AS active, countIf(${isConversion}) AS goals,
             toUnixTimestamp64Milli(max(ts)) - toUnixTimestamp64Milli(min(ts)) AS length_ms
      FROM ${from} WHERE ${where} GROUP BY is_current, session_key
    ) AS s GROUP BY is_current`
}

function visitorsSql(filter: EventFilter, range: TimeRange): SqlCondition {
  const { sql, params } = peopleRows(filter, range, () => [`${isAfterBorder} AS is_current`])
  return { sql: `SELECT is_current, ${visitors} AS visitors FROM ${sql} GROUP BY is_current`, params }
}

export async function selectTotals(
  events: Events,
  filter: EventFilter,
  periods: TwoPeriods,
): Promise<{ current: TotalsRow; previous: TotalsRow }> {
  const visits = visitsOf(withoutPeople(filter), joined(periods))
  const ofPeople = visitorsSql(filter, joined(periods))
  const conversions = conversionSql(filter, joined(periods))
  const [totals, people] = await Promise.all([
    events.query<Omit<TotalsRow, 'visitors'> & { is_current: Count }>(totalsSql(visits, conversions.sql), {
      ...visits.params,
      ...conversions.params,
    }),
    events.query<Pick<TotalsRow, 'visitors'> & { is_current: Count }>(ofPeople.sql, ofPeople.params),
  ])
  const totalsOf = (flag: number): TotalsRow => {
    const isWanted = (row: { is_current: Count }) => Number(row.is_current) === flag
    return { ...noTotals, ...totals.find(isWanted), ...people.find(isWanted) }
  }
  return { current: totalsOf(1), previous: totalsOf(0) }
}

export type RevenueRow = { currency: string; bucket: Count; revenue: string }

/** Revenue by currency and interval, from the few events with money. */
export async function selectRevenue(
  events: Events,
  filter: EventFilter,
  periods: TwoPeriods,
  starts: readonly number[],
): Promise<{ current: RevenueRow[]; previous: RevenueRow[] }> {
  const { from, where, params } = visitsOf(withoutPeople(filter), joined(periods))
  const rows = await events.query<RevenueRow & { is_current: Count }>(
    `SELECT ${isAfterBorder} AS is_current, currency,
            if(is_current, roundDown(toUnixTimestamp64Milli(ts), {starts:Array(Int64)}), 0) AS bucket,
            toString(sum(assumeNotNull(${signedAmount}))) AS revenue
     FROM ${from}
     WHERE ${where} AND name IN ${revenueEvents} AND amount IS NOT NULL
     GROUP BY is_current, currency, bucket`,
    { ...params, starts },
  )
  const revenueOf = (flag: number) => rows.filter((row) => Number(row.is_current) === flag)
  return { current: revenueOf(1), previous: revenueOf(0) }
}

export type SeriesRow = {
  bucket: Count
  visitors: Count
  sessions: Count
  pageviews: Count
  events: Count
  conversions: Count
}

/** The intervals' starts are passed as a list, so that time zones are handled in one place only. */
export function selectSeries(
  events: Events,
  filter: EventFilter,
  period: Period,
  starts: readonly number[],
): Promise<SeriesRow[]> {
  const conversions = conversionSql(filter, period)
  const rows = peopleRows(filter, period, (matches) => [
    'session_key',
    'roundDown(toUnixTimestamp64Milli(ts), {starts:Array(Int64)}) AS bucket',
    `(${matches}) AS is_match`,
    "name = '$pageview' AND is_match AS is_view",
    `${conversions.sql} AS is_conversion`,
  ])
  return events.query<SeriesRow>(
    `SELECT bucket, ${visitors} AS visitors, ${sessions} AS sessions, countIf(is_view) AS pageviews,
            countIf(is_match) AS events, countIf(is_conversion) AS conversions
     FROM ${rows.sql} GROUP BY bucket`,
    { ...rows.params, ...conversions.params, starts },
  )
}

export type VerdictsRow = { warned: Count; quarantined: Count; rejected: Count }

/** Counted on arrival, by name only. */
export async function selectVerdicts(
  events: Events,
  filter: EventFilter,
  { fromMs, toMs }: Period,
): Promise<VerdictsRow> {
  const names = eventNamesOf(filter)
  const { workspaceId, siteId } = filter
  const [row] = await events.query<VerdictsRow>(
    `SELECT sumIf(events, outcome = 'warn') AS warned, sumIf(events, outcome = 'quarantine') AS quarantined,
            sumIf(events, outcome = 'reject') AS rejected
     FROM verdicts
     WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
       AND hour >= toStartOfHour(fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC'))
       AND hour < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')
       ${names === null ? '' : 'AND name IN {eventNames:Array(String)}'}`,
    { workspaceId, siteId, fromMs, toMs, ...(names !== null && { eventNames: names }) },
  )
  return row ?? { warned: 0, quarantined: 0, rejected: 0 }
}

/** All stored events that match, and those of bots among them. */
export async function selectStored(
  events: Events,
  filter: EventFilter,
  period: Period,
): Promise<{ events: number; bots: number }> {
  const { from, where, params } = eventsOf(withoutPeople({ ...filter, includeBots: true }), period)
  const [row] = await events.query<{ events: Count; bots: Count }>(
    `SELECT count() AS events, countIf(is_bot = 1) AS bots FROM ${from} WHERE ${where}`,
    params,
  )
  return { events: Number(row?.events ?? 0), bots: Number(row?.bots ?? 0) }
}

type LiveRow = { visitors: Count; sessions: Count; pageviews: Count; events: Count }

export async function selectLive(events: Events, filter: EventFilter, range: TimeRange): Promise<LiveRow> {
  const { from, where, matches, params } = visitsOf(filter, range)
  const [row] = await events.query<LiveRow>(
    `SELECT ${visitors} AS visitors, ${sessions} AS sessions,
            countIf(name = '$pageview' AND ${matches}) AS pageviews, countIf(${matches}) AS events
     FROM ${from} WHERE ${where}`,
    params,
  )
  return row ?? { visitors: 0, sessions: 0, pageviews: 0, events: 0 }
}

/** A visitor is on the page that they viewed last. */
export function selectLivePages(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  rows: number,
): Promise<{ path: string; visitors: Count }[]> {
  const { from, where, params } = visitsOf(filter, range)
  return events.query(
    `SELECT page AS path, count() AS visitors
     FROM (
       SELECT argMax(path, ${eventOrder('path')}) AS page FROM ${from}
       WHERE ${where} AND name = '$pageview' AND person_key != cityHash64('') GROUP BY person_key
     ) GROUP BY page ORDER BY visitors DESC, page LIMIT {rows:UInt32}`,
    { ...params, rows },
  )
}
