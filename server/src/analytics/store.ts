import type { Events, QueryParams } from '../store/events.ts'
import type { Period } from './period.ts'

/** Which events a read is about. Bots are left out unless asked for; a repeated order never counts. */
export type EventFilter = {
  workspaceId: string
  siteId: string
  includeBots: boolean
  path?: string | undefined
  country?: string | undefined
  device?: string | undefined
  source?: string | undefined
  event?: string | undefined
}

/** 64-bit numbers come as text or as numbers, by the engine's settings. */
type Count = string | number

const conversionEvents = "('$purchase', '$subscribe', '$signup')"
/** What happens by itself in a session says nothing about whether a visitor did a second thing. */
const passiveEvents = "('$session_start', '$session_end', 'web_vital', 'scroll_depth', 'sdk_loss')"
/** $refund takes money back; everything else that carries revenue adds it. */
const revenueEvents = "('$purchase', '$subscribe', '$refund')"
const signedAmount = "if(name = '$refund', -amount, amount)"

const optional = [
  ['path', 'path = {path:String}'],
  ['country', 'country = {country:String}'],
  ['device', 'device = {device:String}'],
  ['source', 'source = {source:String}'],
  ['event', 'name = {event:String}'],
] as const

function where(filter: EventFilter): string {
  return [
    'workspace_id = {workspaceId:String}',
    'site_id = {siteId:String}',
    'ts >= fromUnixTimestamp64Milli({fromMs:Int64})',
    'ts < fromUnixTimestamp64Milli({toMs:Int64})',
    'counted = 1',
    ...(filter.includeBots ? [] : ['is_bot = 0']),
    ...optional.filter(([field]) => filter[field] !== undefined).map(([, condition]) => condition),
  ].join(' AND ')
}

function params(filter: EventFilter, { fromMs, toMs }: Period): QueryParams {
  const { includeBots: _, ...values } = filter
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(given), fromMs, toMs }
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

export function totalsSql(filter: EventFilter): string {
  return `
    SELECT uniqExactArray(s.people) AS visitors, count() AS sessions, sum(s.views) AS pageviews,
           sum(s.all) AS events, countIf(s.active <= 1) AS bounced, sum(s.length_ms) AS duration_ms,
           sum(s.goals) AS conversions, countIf(s.goals > 0) AS converted
    FROM (
      SELECT groupUniqArray(person_key) AS people, countIf(name = '$pageview') AS views, count() AS all,
             countIf(name NOT IN ${passiveEvents}) AS active, countIf(name IN ${conversionEvents}) AS goals,
             toUnixTimestamp64Milli(max(ts)) - toUnixTimestamp64Milli(min(ts)) AS length_ms
      FROM events WHERE ${where(filter)} GROUP BY session_key
    ) AS s`
}

export async function selectTotals(events: Events, filter: EventFilter, period: Period): Promise<TotalsRow> {
  const [row] = await events.query<TotalsRow>(totalsSql(filter), params(filter, period))
  const none = '0'
  return (
    row ?? {
      visitors: none,
      sessions: none,
      pageviews: none,
      events: none,
      bounced: none,
      duration_ms: none,
      conversions: none,
      converted: none,
    }
  )
}

export type RevenueRow = { currency: string; bucket: Count; revenue: string }

/** Revenue by currency and interval, from the few events that carry money. */
export function selectRevenue(
  events: Events,
  filter: EventFilter,
  period: Period,
  starts: readonly number[],
): Promise<RevenueRow[]> {
  return events.query<RevenueRow>(
    `SELECT currency, roundDown(toUnixTimestamp64Milli(ts), {starts:Array(Int64)}) AS bucket,
            toString(sum(assumeNotNull(${signedAmount}))) AS revenue
     FROM events WHERE ${where(filter)} AND name IN ${revenueEvents} AND amount IS NOT NULL
     GROUP BY currency, bucket`,
    { ...params(filter, period), starts },
  )
}

export type SeriesRow = {
  bucket: Count
  visitors: Count
  sessions: Count
  pageviews: Count
  events: Count
  conversions: Count
}

/** The intervals' starts come as a list, so that time zones are reckoned in one place only. */
export function seriesSql(filter: EventFilter): string {
  return `
    SELECT roundDown(toUnixTimestamp64Milli(ts), {starts:Array(Int64)}) AS bucket,
           uniqExact(person_key) AS visitors, uniqExact(session_key) AS sessions,
           countIf(name = '$pageview') AS pageviews, count() AS events,
           countIf(name IN ${conversionEvents}) AS conversions
    FROM events WHERE ${where(filter)} GROUP BY bucket`
}

export function selectSeries(
  events: Events,
  filter: EventFilter,
  period: Period,
  starts: readonly number[],
): Promise<SeriesRow[]> {
  return events.query<SeriesRow>(seriesSql(filter), { ...params(filter, period), starts })
}

export type BreakdownRow = { key: string; visitors: Count; sessions: Count; events: Count }

const dimensions = {
  pages: { column: 'path', condition: "name = '$pageview'" },
  sources: { column: 'source', condition: '1' },
  countries: { column: 'country', condition: '1' },
  devices: { column: 'device', condition: '1' },
  events: { column: 'name', condition: '1' },
} as const
export type Dimension = keyof typeof dimensions
export const dimensionNames = ['pages', 'sources', 'countries', 'devices', 'events'] as const

export function breakdownSql(filter: EventFilter, dimension: Dimension): string {
  const { column, condition } = dimensions[dimension]
  return `
    SELECT ${column} AS key, uniqExact(person_key) AS visitors, uniqExact(session_key) AS sessions, count() AS events
    FROM events WHERE ${where(filter)} AND ${condition}
    GROUP BY key ORDER BY events DESC, key LIMIT {rows:UInt32}`
}

export function selectBreakdown(
  events: Events,
  filter: EventFilter,
  period: Period,
  dimension: Dimension,
  rows: number,
): Promise<BreakdownRow[]> {
  return events.query<BreakdownRow>(breakdownSql(filter, dimension), { ...params(filter, period), rows })
}

export type QualityRow = { warned: Count; quarantined: Count; rejected: Count }

export async function selectVerdictCounts(
  events: Events,
  filter: EventFilter,
  period: Period,
): Promise<QualityRow> {
  const [row] = await events.query<QualityRow>(
    `SELECT sumIf(events, outcome = 'warn') AS warned, sumIf(events, outcome = 'quarantine') AS quarantined,
            sumIf(events, outcome = 'reject') AS rejected
     FROM verdicts
     WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
       AND hour >= toStartOfHour(fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC'))
       AND hour < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`,
    { workspaceId: filter.workspaceId, siteId: filter.siteId, fromMs: period.fromMs, toMs: period.toMs },
  )
  return row ?? { warned: '0', quarantined: '0', rejected: '0' }
}

export async function selectBotShare(events: Events, filter: EventFilter, period: Period): Promise<number> {
  const everything = { ...filter, includeBots: true }
  const [row] = await events.query<{ share: number | null }>(
    `SELECT if(count() = 0, 0, countIf(is_bot = 1) / count()) AS share FROM events WHERE ${where(everything)}`,
    params(everything, period),
  )
  return row?.share ?? 0
}
