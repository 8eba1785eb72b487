import { readDaysMax } from '@assay/contract'
import { dayMs } from '../platform/units.ts'
import { type EventFilter, eventsOf, type TimeRange } from '../store/event-filter.ts'
import type { Count, Events } from '../store/events.ts'

/** A period is judged by a time before it that is four times as long: of a week, the same weekdays. */
const pastPeriods = 4

export type VisitFigures = {
  sessions: number
  withError: number
  converted: number
  pastSessions: number
  pastConverted: number
  /** Hours of the two weeks before the end in which anything happened, as their starts, in order. */
  activeHours: readonly number[]
  lastMs: number | null
}

/** Hours used to learn how long it is usually quiet. */
const hoursDays = 14

export async function selectVisitFigures(
  events: Events,
  filter: EventFilter,
  { fromMs, toMs }: TimeRange,
): Promise<VisitFigures> {
  const pastMs = fromMs - Math.min(pastPeriods * (toMs - fromMs), readDaysMax * dayMs)
  const hoursMs = toMs - hoursDays * dayMs
  const { from, where, params } = eventsOf(filter, { fromMs: Math.min(pastMs, hoursMs), toMs })
  const [row] = await events.query<Record<string, Count> & { hours: Count[] }>(
    `SELECT countIf(is_visit AND is_recent) AS sessions, countIf(is_visit AND is_recent AND errors > 0) AS with_error,
            countIf(is_visit AND is_recent AND goals > 0) AS converted,
            countIf(is_visit AND is_past) AS past_sessions,
            countIf(is_visit AND is_past AND goals > 0) AS past_converted, max(last_ms) AS latest_ms,
            arraySort(groupUniqArrayArray(hours_of)) AS hours
     FROM (
       SELECT session_key != cityHash64('') AS is_visit, toUnixTimestamp64Milli(max(ts)) AS last_ms,
              min(ts) >= fromUnixTimestamp64Milli({recentMs:Int64}) AS is_recent,
              NOT is_recent AND min(ts) >= fromUnixTimestamp64Milli({pastMs:Int64}) AS is_past,
              countIf(name = 'error') AS errors, countIf(name IN ('$purchase', '$subscribe', '$signup')) AS goals,
              groupUniqArrayIf(toUnixTimestamp(toStartOfHour(ts)),
                               ts >= fromUnixTimestamp64Milli({hoursMs:Int64})) AS hours_of
       FROM ${from} WHERE ${where} GROUP BY session_key
     )`,
    { ...params, recentMs: fromMs, pastMs, hoursMs },
  )
  const number = (name: string) => Number(row?.[name] ?? 0)
  return {
    sessions: number('sessions'),
    withError: number('with_error'),
    converted: number('converted'),
    pastSessions: number('past_sessions'),
    pastConverted: number('past_converted'),
    activeHours: (row?.hours ?? []).map((hour) => Number(hour) * 1_000),
    lastMs: number('latest_ms') === 0 ? null : number('latest_ms'),
  }
}

export type VerdictFigures = { accepted: number; warned: number; quarantined: number; rejected: number }

export async function selectVerdictFigures(
  events: Events,
  { workspaceId, siteId }: Pick<EventFilter, 'workspaceId' | 'siteId'>,
  { fromMs, toMs }: TimeRange,
): Promise<VerdictFigures> {
  const [row] = await events.query<Record<keyof VerdictFigures, Count>>(
    `SELECT sumIf(events, outcome = 'accept') AS accepted, sumIf(events, outcome = 'warn') AS warned,
            sumIf(events, outcome = 'quarantine') AS quarantined, sumIf(events, outcome = 'reject') AS rejected
     FROM verdicts
     WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
       AND hour >= toStartOfHour(fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC'))
       AND hour < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`,
    { workspaceId, siteId, fromMs, toMs },
  )
  return {
    accepted: Number(row?.accepted ?? 0),
    warned: Number(row?.warned ?? 0),
    quarantined: Number(row?.quarantined ?? 0),
    rejected: Number(row?.rejected ?? 0),
  }
}

export type Vital = { metric: string; readings: number; p75: number }

export async function selectVitals(events: Events, filter: EventFilter, range: TimeRange): Promise<Vital[]> {
  const { from, where, params } = eventsOf(filter, range)
  const rows = await events.query<{ metric: string; readings: Count; p75: number }>(
    `SELECT JSONExtractString(properties, 'metric') AS metric, count() AS readings,
            quantileExact(0.75)(JSONExtractFloat(properties, 'value')) AS p75
     FROM ${from} WHERE ${where} AND name = 'web_vital' GROUP BY metric`,
    params,
  )
  return rows.map(({ metric, readings, p75 }) => ({ metric, readings: Number(readings), p75: Number(p75) }))
}
