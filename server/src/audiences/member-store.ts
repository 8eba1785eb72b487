import type { MemberState } from '@assay/contract'
import { currentPeople, type EventSource, eventSource, type ReadOverlays } from '../store/event-source.ts'
import type { Count, Events, QueryParams } from '../store/events.ts'
import { changeRows } from '../store/row-changes.ts'

/** The candidates and the rule: everyone who was active on the site. */
export type Selected = {
  workspaceId: string
  siteId: string
  fromMs: number
  nowMs: number
  readOverlays: ReadOverlays
  having: string
  params: QueryParams
}

const nobody = "cityHash64('')"

function sourceOf({ readOverlays, workspaceId, siteId, fromMs, nowMs }: Selected): EventSource {
  return eventSource(readOverlays, { workspaceId, siteId, fromMs, toMs: nowMs + 1 })
}

function peopleSql(selected: Selected): string {
  return `SELECT person_key, any(person_id) AS person_id
      FROM ${sourceOf(selected).from}
      WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
        AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts <= fromUnixTimestamp64Milli({nowMs:Int64})
        AND counted = 1 AND is_bot = 0 AND person_key != ${nobody}
      GROUP BY person_key`
}

function paramsOf(selected: Selected): QueryParams {
  const { workspaceId, siteId, fromMs, nowMs, params } = selected
  return { workspaceId, siteId, fromMs, nowMs, ...params, ...sourceOf(selected).params }
}

export async function selectPreview(
  events: Events,
  selected: Selected,
  sampleRows: number,
): Promise<{ size: number; people: number; sample: string[] }> {
  const [row] = await events.query<{ size: Count; people: Count; sample: string[] }>(
    `SELECT countIf(fits) AS size, count() AS people, groupArraySortedIf(${sampleRows})(person_id, fits) AS sample
     FROM (${peopleSql(selected).replace('FROM', `, ${selected.having} AS fits\n      FROM`)})`,
    paramsOf(selected),
  )
  return { size: Number(row?.size ?? 0), people: Number(row?.people ?? 0), sample: row?.sample ?? [] }
}

/** Everyone who is or was in it, under their current ids: a person merged with a member is one. */
function membersSql(hasMerges: boolean): string {
  const latest = `SELECT person_key AS own_key, argMax(person_id, version) AS own_id,
             argMax(is_member, version) AS is_in, argMax(joined_at, version) AS in_at,
             argMax(tuple(left_at), version).1 AS out_at
      FROM audience_members
      WHERE workspace_id = {workspaceId:String} AND audience_id = {audienceId:String} GROUP BY own_key`
  const current = hasMerges
    ? `SELECT if(m.original_key = 0, l.own_key, m.current_key) AS current_key,
              if(m.original_key = 0, l.own_id, m.current_id) AS current_id, l.is_in AS is_in, l.in_at AS in_at,
              l.out_at AS out_at
       FROM (${latest}) AS l
       LEFT ANY JOIN (${currentPeople('workspaceId')}) AS m ON l.own_key = m.original_key`
    : `SELECT own_key AS current_key, own_id AS current_id, is_in, in_at, out_at FROM (${latest})`
  return `SELECT current_key AS person_key, any(current_id) AS person_id, max(is_in) AS is_member,
             if(max(is_in) = 1, minIf(in_at, is_in = 1), max(in_at)) AS joined_at,
             if(max(is_in) = 1, NULL, max(out_at)) AS left_at
      FROM (${current}) GROUP BY current_key`
}

/**
 * Writes down who joined and who left since the last time, in one statement. `version` grows with each, so that the
 * latest word on a person wins.
 */
export async function refreshMembers(
  events: Events,
  audienceId: string,
  selected: Selected,
  version: number,
): Promise<void> {
  await events.command(
    `INSERT INTO audience_members (workspace_id, audience_id, person_key, person_id, is_member, joined_at, left_at,
                                   version)
     SELECT {workspaceId:String}, {audienceId:String}, key, max(id), max(fits) AS is_now,
            if(is_now = 1, fromUnixTimestamp64Milli({nowMs:Int64}, 'UTC'), max(joined)) AS joined_at,
            if(is_now = 1, NULL, fromUnixTimestamp64Milli({nowMs:Int64}, 'UTC')) AS left_at, {version:UInt64}
     FROM (
       SELECT person_key AS key, person_id AS id, 1 AS fits, 0 AS was_in,
              toDateTime64(0, 3, 'UTC') AS joined
       FROM (${peopleSql(selected)} HAVING ${selected.having})
       UNION ALL
       SELECT person_key, person_id, 0, is_member, joined_at FROM (${membersSql(selected.readOverlays.hasMerges)})
     ) GROUP BY key HAVING is_now != max(was_in)`,
    { ...paramsOf(selected), audienceId, version },
  )
}

type MemberScope = { workspaceId: string; audienceId: string; hasMerges: boolean }

export async function countMembers(events: Events, scope: MemberScope): Promise<number> {
  const [row] = await events.query<{ size: Count }>(
    `SELECT countIf(is_member = 1) AS size FROM (${membersSql(scope.hasMerges)})`,
    { workspaceId: scope.workspaceId, audienceId: scope.audienceId },
  )
  return Number(row?.size ?? 0)
}

export type MemberRow = { person_id: string; joined_ms: Count; left_ms: Count | null }

const states: Readonly<Record<MemberState, string>> = {
  joined: 'is_member = 1',
  left: 'is_member = 0',
  all: 'true',
}

export function selectMembers(
  events: Events,
  scope: MemberScope,
  state: MemberState,
  after: string,
  rows: number,
): Promise<MemberRow[]> {
  return events.query<MemberRow>(
    `SELECT person_id, toUnixTimestamp64Milli(joined_at) AS joined_ms, toUnixTimestamp64Milli(left_at) AS left_ms
     FROM (${membersSql(scope.hasMerges)})
     WHERE ${states[state]} AND person_id > {after:String} ORDER BY person_id LIMIT {rows:UInt32}`,
    { workspaceId: scope.workspaceId, audienceId: scope.audienceId, after, rows },
  )
}

/** A condition on the person of an event. Its parameters have names of their own. */
export function memberCondition({ workspaceId, audienceId, hasMerges }: MemberScope): {
  sql: string
  params: QueryParams
} {
  const members = membersSql(hasMerges)
    .replaceAll('{workspaceId:String}', '{audienceWorkspaceId:String}')
    .replaceAll('{audienceId:String}', '{filterAudienceId:String}')
  return {
    sql: `person_key IN (SELECT person_key FROM (${members}) WHERE is_member = 1)`,
    params: { audienceWorkspaceId: workspaceId, filterAudienceId: audienceId },
  }
}

export type NamedAudience = { id: string; name: string }

/** Rows of `person_key` and `name`, one for each audience that a current person is in. */
export function membershipRows(
  workspaceId: string,
  audiences: readonly NamedAudience[],
  hasMerges: boolean,
): { sql: string; params: QueryParams } {
  if (audiences.length === 0)
    return { sql: "(SELECT toUInt64(0) AS person_key, '' AS name WHERE 0)", params: {} }
  const latest = `SELECT person_key AS own_key, toString(audience_id) AS own_audience,
             argMax(is_member, version) AS is_in
      FROM audience_members
      WHERE workspace_id = {namedWorkspaceId:String} AND audience_id IN {namedAudiences:Array(String)}
      GROUP BY own_key, own_audience`
  const current = hasMerges
    ? `SELECT if(m.original_key = 0, l.own_key, m.current_key) AS current_key, l.own_audience AS own_audience
       FROM (${latest}) AS l
       LEFT ANY JOIN (${currentPeople('namedWorkspaceId')}) AS m ON l.own_key = m.original_key
       WHERE l.is_in = 1`
    : `SELECT own_key AS current_key, own_audience FROM (${latest}) WHERE is_in = 1`
  return {
    sql: `(SELECT DISTINCT current_key AS person_key,
              transform(own_audience, {namedAudiences:Array(String)}, {audienceNames:Array(String)}, '') AS name
        FROM (${current}))`,
    params: {
      namedWorkspaceId: workspaceId,
      namedAudiences: audiences.map(({ id }) => id),
      audienceNames: audiences.map(({ name }) => name),
    },
  }
}

export async function deleteMembers(events: Events, workspaceId: string, audienceId: string): Promise<void> {
  await changeRows(
    events,
    `ALTER TABLE audience_members DELETE
     WHERE workspace_id = {workspaceId:String} AND audience_id = {audienceId:String}`,
    { workspaceId, audienceId },
  )
}
