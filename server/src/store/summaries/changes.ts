import { dayMs } from '../../platform/units.ts'
import type { Events, QueryParams } from '../events.ts'

/** Stored events of a site on a day of UTC, counted from 1970. */
export type TouchedDay = { workspaceId: string; siteId: string; day: number }

/**
 * Changes stored events of days that may be summed up. The days stop counting before the change begins, which is on
 * disk then. A change that is cut short leaves the first notice, and its repetition gives both again.
 */
export async function withChange<T>(
  events: Events,
  touched: readonly TouchedDay[],
  work: () => Promise<T>,
): Promise<T> {
  await insertChanges(events, touched)
  const result = await work()
  await insertChanges(events, touched)
  return result
}

/** An import of history may touch years of many sites. */
const rowsPerInsert = 5_000

async function insertChanges(events: Events, touched: readonly TouchedDay[]): Promise<void> {
  for (let start = 0; start < touched.length; start += rowsPerInsert) {
    const rows = touched.slice(start, start + rowsPerInsert)
    await events.insertRows(
      'summary_changes',
      rows.map(({ workspaceId, siteId, day }) => ({
        workspace_id: workspaceId,
        site_id: siteId,
        day,
        changes: 1,
      })),
    )
  }
}

export const dayOfMs = (ms: string) => `toInt32(floor(${ms} / ${dayMs}))`
export const utcDay = (ms: number) => Math.floor(ms / dayMs)

/** Only days of sites that are summed up: nothing is kept of others. */
export const isSummed = '(workspace_id, site_id) IN (SELECT workspace_id, site_id FROM summary_sites)'

/** The days of some rows of events, or of a table with their columns. */
export async function selectTouched(
  events: Events,
  { table, where, ms }: { table: string; where: string; ms: string },
  params: QueryParams = {},
): Promise<TouchedDay[]> {
  const rows = await events.query<{ workspace_id: string; site_id: string; day: number }>(
    `SELECT toString(workspace_id) AS workspace_id, toString(site_id) AS site_id, ${dayOfMs(ms)} AS day
     FROM ${table} WHERE ${isSummed} AND (${where}) GROUP BY workspace_id, site_id, day`,
    params,
  )
  return rows.map((row) => ({
    workspaceId: row.workspace_id,
    siteId: row.site_id,
    day: Number(row.day),
  }))
}

/** The time of a stored event as a number. */
export const eventMs = 'toUnixTimestamp64Milli(ts)'

/** Tables with rows of days that are summed up; the first of them says which days there are. */
export const dayTables = ['summary_days', 'summary_values', 'summary_visits'] as const

/**
 * Removes what is summed up of these days: a path may name a person. A day of a zone begins at most a day and some
 * hours before any of its moments.
 */
export async function deleteSummaries(events: Events, touched: readonly TouchedDay[]): Promise<void> {
  if (touched.length === 0) return
  const places = touched.flatMap(({ siteId, day }) =>
    [day - 2, day - 1, day].map((from) => `${siteId} ${from}`),
  )
  const params = {
    workspaceIds: [...new Set(touched.map(({ workspaceId }) => workspaceId))],
    places: [...new Set(places)],
  }
  for (const table of dayTables) {
    await events.command(
      `ALTER TABLE ${table} DELETE WHERE workspace_id IN {workspaceIds:Array(String)}
         AND concat(toString(site_id), ' ', toString(${dayOfMs('from_ms')})) IN {places:Array(String)}
       SETTINGS mutations_sync = 2`,
      params,
    )
  }
}
