import type { Count, Events, QueryParams } from '../../store/events.ts'

export type TimelineQuery = {
  workspaceId: string
  /** All original ids of the person. */
  originalIds: readonly string[]
  fromMs: number
  /** Exclusive. */
  toMs: number
  event: string | null
  /** The last event of the previous page. */
  after: { ms: number; eventId: string } | null
  rows: number
  /** Of the overlays of all sites; empty without back-fills. */
  generations: readonly string[]
}

export type TimelineRow = {
  event_id: string
  site_id: string
  ts_ms: Count
  received_ms: Count
  name: string
  sent_name: string
  outcome: string
  issues: string
  endpoint: string
  surface: string
  sdk: string
  channel: string
  referrer: string
  person_id: string
  user_id: string
  anonymous_id: string
  session_id: string
  url: string
  title: string
  counted: number
  is_public: number
  is_superseded: number
  /** A decimal. */
  amount: string | number | null
  currency: string
  properties: string
}

const time = (parameter: string) => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`

/**
 * Up to this number ids are written one by one, which the engine evaluates before it reads: half the time of
 * a list that it turns into a set first, measured on the portable engine. Hardly anyone has more.
 */
const idsWrittenOutMax = 50

function keysOf(originalIds: readonly string[]): string {
  if (originalIds.length > idsWrittenOutMax)
    return '(SELECT cityHash64(arrayJoin({originalIds:Array(String)})))'
  return `(${originalIds.map((_, index) => `cityHash64({originalId${index}:String})`).join(', ')})`
}

function idParams(originalIds: readonly string[]): QueryParams {
  if (originalIds.length > idsWrittenOutMax) return { originalIds }
  return Object.fromEntries(originalIds.map((originalId, index) => [`originalId${index}`, originalId]))
}

/** Includes events with this name by a back-fill only; the caller filters those that were renamed. */
function named({ event, generations }: TimelineQuery): string {
  if (event === null) return ''
  if (generations.length === 0) return 'AND name = {event:String}'
  return `AND (name = {event:String} OR (site_id, ts) IN (
          SELECT site_id, ts FROM overlaid_events
          WHERE generation IN {generations:Array(String)} AND workspace_id = {workspaceId:String}
            AND name = {event:String}))`
}

/** It counted until a secret sender sent the same. */
const isSuperseded = `is_public = 1 AND (site_id, ts, event_id) IN (
              SELECT site_id, ts, event_id FROM superseded_events WHERE workspace_id = {workspaceId:String})`

/**
 * Newest first. The projection by person finds the times of the page's events, and the table, which is
 * ordered by time, returns just these. Events of one millisecond are ordered by id, so all of them are read.
 */
export function selectTimeline(events: Events, query: TimelineQuery): Promise<TimelineRow[]> {
  const { event, after } = query
  const person = `workspace_id = {workspaceId:String}
        AND person_key IN ${keysOf(query.originalIds)}
        AND ts >= ${time('fromMs')} AND ts < ${time('toMs')} ${named(query)}`
  const places = (when: string) => `SELECT site_id, ts FROM events WHERE ${person} ${when}`
  const older = after === null ? '' : `AND ts < ${time('afterMs')}`
  const page = `${places(older)} ORDER BY ts DESC LIMIT {rows:UInt32} WITH TIES`
  const rest = after === null ? '' : `UNION ALL ${places(`AND ts = ${time('afterMs')}`)}`
  return events.query<TimelineRow>(
    `SELECT event_id, site_id, toUnixTimestamp64Milli(ts) AS ts_ms, toUnixTimestamp64Milli(received_at) AS received_ms,
            name, sent_name, outcome, issues, endpoint, surface, sdk, channel, referrer,
            person_id, user_id, anonymous_id,
            session_id, url, title, counted, is_public, ${isSuperseded} AS is_superseded,
            amount, currency, properties
     FROM events
     WHERE ${person} AND (site_id, ts) IN (SELECT site_id, ts FROM (${page}) ${rest})
       ${after === null ? '' : `AND (ts, event_id) < (${time('afterMs')}, {afterId:String})`}
     ORDER BY ts DESC, event_id DESC, is_public LIMIT {rows:UInt32}`,
    {
      workspaceId: query.workspaceId,
      ...idParams(query.originalIds),
      fromMs: query.fromMs,
      toMs: query.toMs,
      rows: query.rows,
      ...(event !== null && { event, generations: query.generations }),
      ...(after !== null && { afterMs: after.ms, afterId: after.eventId }),
    },
  )
}

/** What a back-fill changes of an event. */
type LaidRow = Pick<
  TimelineRow,
  'name' | 'outcome' | 'issues' | 'counted' | 'amount' | 'currency' | 'properties'
>

/** Which of these events have an overlay, by `rowKey`. */
export async function selectOverlaid(
  events: Events,
  { workspaceId, generations }: Pick<TimelineQuery, 'workspaceId' | 'generations'>,
  rows: readonly TimelineRow[],
): Promise<Map<string, LaidRow>> {
  if (rows.length === 0) return new Map()
  const times = rows.map((row) => Number(row.ts_ms))
  const readOverlays = await events.query<LaidRow & Pick<TimelineRow, 'event_id' | 'is_public'>>(
    `SELECT event_id, is_public, name, outcome, issues, counted, amount, currency, properties FROM overlaid_events
     WHERE generation IN {generations:Array(String)} AND workspace_id = {workspaceId:String}
       AND site_id IN {sites:Array(String)} AND ts >= ${time('fromMs')} AND ts <= ${time('toMs')}
       AND event_id IN {ids:Array(String)}`,
    {
      workspaceId,
      generations,
      sites: [...new Set(rows.map((row) => row.site_id))],
      fromMs: Math.min(...times),
      toMs: Math.max(...times),
      ids: rows.map((row) => row.event_id),
    },
  )
  return new Map(
    readOverlays.map(({ event_id, is_public, ...row }) => [rowKey({ event_id, is_public }), row]),
  )
}

/** A public and a secret sender may each have sent an event with one id. */
export function rowKey({ event_id, is_public }: Pick<TimelineRow, 'event_id' | 'is_public'>): string {
  return `${is_public} ${event_id}`
}
