import type { EventFilter, TimeRange } from '../store/event-filter.ts'
import { eventsOf, isAfterBorder, visitsOf, withoutPeople } from '../store/event-filter.ts'
import type { Count, Events } from '../store/events.ts'
import type { Fingerprint } from './groups.ts'

const keyText = "lower(leftPad(hex(error_key), 16, '0'))"

/** Fingerprints of a site that are looked at, the latest first. */
const fingerprintsMax = 5_000

/** Of all time, by what is written down as errors come in; and of the time that is asked for, by the events. */
export async function selectFingerprints(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
): Promise<Fingerprint[]> {
  const { from, where, params } = eventsOf(withoutPeople(filter), range)
  const rows = await events.query<
    Omit<Fingerprint, 'firstMs' | 'lastMs'> & { first_ms: Count; last_ms: Count }
  >(
    `SELECT ${keyText} AS key, any(type) AS type, any(title) AS title, any(culprit) AS culprit,
            toUnixTimestamp64Milli(min(first_at)) AS first_ms, toUnixTimestamp64Milli(max(last_at)) AS last_ms
     FROM (
       SELECT error_key, toString(error_type) AS type, toString(error_title) AS title,
              toString(error_culprit) AS culprit, first_ts AS first_at, last_ts AS last_at
       FROM error_sightings WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
       UNION ALL
       SELECT error_key, toString(any(error_type)), toString(any(error_title)), toString(any(error_culprit)),
              min(ts), max(ts)
       FROM ${from} WHERE ${where} AND name = 'error' GROUP BY error_key
     ) GROUP BY error_key ORDER BY last_ms DESC, key LIMIT ${fingerprintsMax}`,
    params,
  )
  return rows.map(({ first_ms, last_ms, ...row }) => ({
    ...row,
    firstMs: Number(first_ms),
    lastMs: Number(last_ms),
  }))
}

export type OccurrenceRow = {
  group_id: string
  occurrences: number
  previous: number
  sessions: number
  users: number
  releases: string[]
  /** Occurrences by the start of their interval. */
  series: ReadonlyMap<number, number>
}

/** Fingerprints that rules put into groups of another name; all others are groups of their own. */
export type GroupMap = { keys: readonly string[]; groups: readonly string[] }

/** The group of an error event, by its fingerprint. */
export const groupExpression = `transform(${keyText}, {groupKeys:Array(String)}, {groupIds:Array(String)},
                concat('err_', ${keyText}))`

export function groupParams({ keys, groups }: GroupMap): Record<string, readonly string[]> {
  return { groupKeys: keys, groupIds: groups }
}

/** Only these fingerprints, or all. */
export function among(only: readonly string[] | null): string {
  return only === null ? '' : ` AND ${keyText} IN {onlyKeys:Array(String)}`
}

/** This period and the one that it is compared with; the series is of this one. */
export async function selectOccurrences(
  events: Events,
  filter: EventFilter,
  { current, previous }: { current: TimeRange; previous: TimeRange },
  starts: readonly number[],
  map: GroupMap,
  only: readonly string[] | null,
): Promise<OccurrenceRow[]> {
  const { from, where, params } = visitsOf(filter, {
    fromMs: previous.fromMs,
    toMs: current.toMs,
    border: { endMs: previous.toMs, startMs: current.fromMs },
  })
  const rows = await events.query<{
    group_id: string
    occurrences: Count
    previous: Count
    sessions: Count
    users: Count
    releases: string[]
    buckets: Count[]
    counts: Count[]
  }>(
    `SELECT group_id, countIf(is_current) AS occurrences, countIf(NOT is_current) AS previous,
            uniqExactIf(session_key, is_current AND session_key != cityHash64('')) AS sessions,
            uniqExactIf(person_key, is_current AND person_key != cityHash64('')) AS users,
            arraySort(groupUniqArrayIf(20)(toString(release), is_current AND release != '')) AS releases,
            sumMapIf([bucket], [toUInt64(1)], is_current) AS series, series.1 AS buckets, series.2 AS counts
     FROM (
       SELECT ${groupExpression} AS group_id, ${isAfterBorder} AS is_current,
              roundDown(toUnixTimestamp64Milli(ts), {starts:Array(Int64)}) AS bucket,
              session_key, person_key, release
       FROM ${from} WHERE ${where} AND name = 'error'${among(only)}
     ) GROUP BY group_id ORDER BY occurrences DESC, group_id LIMIT ${fingerprintsMax}`,
    { ...params, ...groupParams(map), starts, ...(only !== null && { onlyKeys: only }) },
  )
  return rows.map((row) => ({
    group_id: row.group_id,
    occurrences: Number(row.occurrences),
    previous: Number(row.previous),
    sessions: Number(row.sessions),
    users: Number(row.users),
    releases: row.releases,
    series: new Map(row.buckets.map((bucket, index) => [Number(bucket), Number(row.counts[index])])),
  }))
}

export type ExampleRow = {
  event_id: string
  session_id: string
  at_ms: Count
  properties: string
  url: string
  release: string
  browser: string
}

export function selectExamples(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  only: readonly string[],
  rows: number,
): Promise<ExampleRow[]> {
  const { from, where, params } = visitsOf(filter, range)
  return events.query<ExampleRow>(
    `SELECT event_id, session_id, toUnixTimestamp64Milli(ts) AS at_ms, properties, url,
            toString(release) AS release, toString(browser) AS browser
     FROM ${from} WHERE ${where} AND name = 'error'${among(only)}
     ORDER BY ts DESC, event_id LIMIT {rows:UInt32}`,
    { ...params, onlyKeys: only, rows },
  )
}
