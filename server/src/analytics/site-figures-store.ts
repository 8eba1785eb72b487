import {
  type EventFilter,
  eventsOf,
  isAfterBorder,
  type SqlCondition,
  visitsOf,
} from '../store/event-filter.ts'
import type { Count, Events } from '../store/events.ts'
import { renamed } from '../store/filters/binder.ts'
import type { Period } from './period.ts'
import { joined, visitors } from './store.ts'

/** One site with its period, the one before, and the starts of its intervals. */
export type AskedSite = { filter: EventFilter; current: Period; previous: Period; starts: readonly number[] }

/**
 * The same statement for each site, as one: each has its own parameters, and a statement has a fixed cost. None may
 * call a column `site_id`: its condition would then be about that.
 */
function together(parts: readonly SqlCondition[]): SqlCondition {
  const own = parts.map((part, index) => renamed(part, `site${index}x`, ['sql']))
  return {
    sql: own.map(({ sql }) => sql).join(' UNION ALL '),
    params: Object.assign({}, ...own.map(({ params }) => params)),
  }
}

export type VisitorsRow = {
  of_site: string
  is_current: Count
  is_total: Count
  bucket: Count
  visitors: Count
}

/** Visitors of both periods, and of each interval of the current one. */
export async function selectSiteVisitors(
  events: Events,
  sites: readonly AskedSite[],
): Promise<VisitorsRow[]> {
  const { sql, params } = together(
    sites.map(({ filter, starts, ...periods }) => {
      const visits = visitsOf(filter, joined(periods))
      return {
        sql: `SELECT {siteId:String} AS of_site, is_current, grouping(bucket) AS is_total, bucket,
                     ${visitors} AS visitors
              FROM (SELECT ${isAfterBorder} AS is_current, person_key,
                           roundDown(toUnixTimestamp64Milli(ts), {starts:Array(Int64)}) AS bucket
                    FROM ${visits.from} WHERE ${visits.where})
              GROUP BY GROUPING SETS ((is_current), (is_current, bucket))`,
        params: { ...visits.params, starts },
      }
    }),
  )
  return events.query<VisitorsRow>(sql, params)
}

type LiveVisitorsRow = { of_site: string; visitors: Count }

export async function selectSitesLive(
  events: Events,
  sites: readonly AskedSite[],
  range: { fromMs: number; toMs: number },
): Promise<LiveVisitorsRow[]> {
  const { sql, params } = together(
    sites.map(({ filter }) => {
      const { from, where, params: own } = eventsOf(filter, range)
      return {
        sql: `SELECT {siteId:String} AS of_site, ${visitors} AS visitors FROM ${from} WHERE ${where}`,
        params: own,
      }
    }),
  )
  return events.query<LiveVisitorsRow>(sql, params)
}

export type HeldRow = { of_site: string; held: Count; all_events: Count }

export async function selectSitesHeld(events: Events, sites: readonly AskedSite[]): Promise<HeldRow[]> {
  const { sql, params } = together(
    sites.map(({ filter: { workspaceId, siteId }, current: { fromMs, toMs } }) => ({
      sql: `SELECT {siteId:String} AS of_site, sumIf(events, outcome = 'quarantine') AS held, sum(events) AS all_events
            FROM verdicts
            WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
              AND hour >= toStartOfHour(fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC'))
              AND hour < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`,
      params: { workspaceId, siteId, fromMs, toMs },
    })),
  )
  return events.query<HeldRow>(sql, params)
}
