import type { Count, Events } from '../../store/events.ts'

/** Ids are part of a statement's URL, which is limited to a megabyte. */
export const idsPerQuery = 2_000

const keysOf = (parameter: string) =>
  `person_key IN (SELECT cityHash64(arrayJoin({${parameter}:Array(String)})))`

type SightingRow = {
  person_key: string
  first_ms: Count
  last_ms: Count
  events: Count
  outcomes: Count
  site_ids: string[]
}

/** Of one person; hardly anyone visits more. */
const sitesMax = 50

/** Events that count as outcomes, by our decisions. */
const outcomeEvents = "('$purchase', '$subscribe', '$signup')"

/** First and last event of each original id, and the number of events. */
export function selectSightings(
  events: Events,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<(SightingRow & { original_id: string })[]> {
  return events.query<SightingRow & { original_id: string }>(
    `SELECT id AS original_id, first_ms, last_ms, events, outcomes, site_ids
     FROM (
       SELECT person_key, toUnixTimestamp64Milli(min(ts)) AS first_ms, toUnixTimestamp64Milli(max(ts)) AS last_ms,
              count() AS events, countIf(name IN ${outcomeEvents}) AS outcomes,
              groupUniqArray(${sitesMax})(site_id) AS site_ids
       FROM events WHERE workspace_id = {workspaceId:String} AND ${keysOf('ids')}
       GROUP BY person_key
     ) AS seen
     INNER JOIN (SELECT arrayJoin({ids:Array(String)}) AS id, cityHash64(id) AS person_key) AS asked
     USING (person_key)`,
    { workspaceId, ids: originalIds },
  )
}

export type BirthRow = { user_id: string; anonymous_id: string; resolved_by: string }

/** Identifiers of an original person's first event, for people known from events only. */
export async function selectBirth(
  events: Events,
  workspaceId: string,
  originalId: string,
): Promise<BirthRow | null> {
  const [row] = await events.query<BirthRow>(
    `SELECT user_id, anonymous_id, resolved_by FROM events
     WHERE workspace_id = {workspaceId:String} AND person_id = {id:String} AND resolved_by != 'person_id'
       AND (site_id, ts) IN (
         SELECT site_id, ts FROM events WHERE workspace_id = {workspaceId:String}
           AND person_key = cityHash64({id:String}) ORDER BY ts LIMIT 20)
     ORDER BY ts LIMIT 1`,
    { workspaceId, id: originalId },
  )
  return row ?? null
}
