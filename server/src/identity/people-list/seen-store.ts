import type { SqlCondition } from '../../store/event-base.ts'
import { currentPeople } from '../../store/event-source.ts'
import type { Count, Events } from '../../store/events.ts'

type SeenRow = { person_id: string; last_ms: Count }
export type SeenPlace = { ms: number; personId: string }
export type SeenScope = {
  workspaceId: string
  siteId: string | null
  fromMs: number
  toMs: number
  hasMerges: boolean
}

/** Current people whose last event is in a time and who fit, the latest first, after one of them. Bots do not count. */
export function selectSeen(
  events: Pick<Events, 'query'>,
  { workspaceId, siteId, fromMs, toMs, hasMerges }: SeenScope,
  { sql: fits, params }: SqlCondition,
  after: SeenPlace | null,
  rows: number,
): Promise<SeenRow[]> {
  const original = `
      SELECT person_key, any(person_id) AS own_id, toUnixTimestamp64Milli(max(ts)) AS own_ms
      FROM events
      WHERE workspace_id = {workspaceId:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64})
        ${siteId === null ? '' : 'AND site_id = {siteId:String}'}
        AND is_bot = 0 AND person_key != cityHash64('')
      GROUP BY person_key`
  const current = hasMerges
    ? `SELECT if(m.original_key = 0, e.own_id, m.current_id) AS person_id, e.own_ms AS own_ms,
              if(m.original_key = 0, e.person_key, m.current_key) AS person_key
       FROM (${original}) AS e
       LEFT ANY JOIN (${currentPeople('workspaceId')}) AS m ON e.person_key = m.original_key`
    : `SELECT own_id AS person_id, own_ms, person_key FROM (${original})`
  const isAfter = 'last_ms < {afterMs:Int64} OR (last_ms = {afterMs:Int64} AND person_id > {afterId:String})'
  return events.query<SeenRow>(
    `SELECT person_id, max(own_ms) AS last_ms FROM (${current}) WHERE ${fits}
     GROUP BY person_id HAVING last_ms < {toMs:Int64} ${after === null ? '' : `AND (${isAfter})`}
     ORDER BY last_ms DESC, person_id LIMIT {rows:UInt32}`,
    {
      ...params,
      workspaceId,
      fromMs,
      toMs,
      rows,
      ...(siteId !== null && { siteId }),
      ...(after !== null && { afterMs: after.ms, afterId: after.personId }),
    },
  )
}

/** Those of these current people who fit. */
export function selectFitting(
  events: Pick<Events, 'query'>,
  personIds: readonly string[],
  { sql: fits, params }: SqlCondition,
): Promise<{ person_id: string }[]> {
  return events.query(
    `SELECT person_id
     FROM (SELECT arrayJoin({personIds:Array(String)}) AS person_id, cityHash64(person_id) AS person_key)
     WHERE ${fits}`,
    { ...params, personIds },
  )
}

type LastEventRow = { person_id: string; user_id: string; anonymous_id: string; resolved_by: string }

/** The last event of each of these original people, for those who are known from events only. */
export function selectLastEvents(
  events: Events,
  workspaceId: string,
  seen: readonly { personId: string; lastMs: number }[],
): Promise<LastEventRow[]> {
  const times = seen.map(({ lastMs }) => lastMs)
  return events.query<LastEventRow>(
    `SELECT person_id, user_id, anonymous_id, resolved_by FROM events
     WHERE workspace_id = {workspaceId:String} AND ts >= fromUnixTimestamp64Milli({firstMs:Int64})
       AND ts <= fromUnixTimestamp64Milli({lastMs:Int64})
       AND person_key IN (SELECT cityHash64(arrayJoin({ids:Array(String)})))
       AND toUnixTimestamp64Milli(ts) IN {times:Array(Int64)}
     ORDER BY person_id, ts DESC, event_id LIMIT 1 BY person_id`,
    {
      workspaceId,
      ids: seen.map(({ personId }) => personId),
      times,
      firstMs: Math.min(...times),
      lastMs: Math.max(...times),
    },
  )
}
