import { type EventFilter, eventsOf, type TimeRange, withoutPeople } from '../store/event-filter.ts'
import type { Count, Events } from '../store/events.ts'

export type ReleaseRow = { release: string; first_ms: Count; events: Count }

/** Releases with events in a range, those with the most events, each with the time of its first. */
export function selectReleases(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  rows: number,
): Promise<ReleaseRow[]> {
  const { from, where, params } = eventsOf(withoutPeople(filter), range)
  return events.query<ReleaseRow>(
    `SELECT toString(release) AS release, toUnixTimestamp64Milli(min(ts)) AS first_ms, count() AS events
     FROM ${from} WHERE ${where} AND release != ''
     GROUP BY release ORDER BY events DESC, release LIMIT {rows:UInt32}`,
    { ...params, rows },
  )
}

/** Those of some releases that have events in a range. */
export async function selectSeen(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  releases: readonly string[],
): Promise<string[]> {
  const { from, where, params } = eventsOf(withoutPeople(filter), range)
  const rows = await events.query<{ release: string }>(
    `SELECT DISTINCT toString(release) AS release
     FROM ${from} WHERE ${where} AND release IN {releases:Array(String)}
     ORDER BY release`,
    { ...params, releases },
  )
  return rows.map(({ release }) => release)
}
