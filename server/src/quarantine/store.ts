import type { QuarantineState } from '@assay/contract'
import type { QuarantinedRow } from '../ingest/row/quarantined-event.ts'
import type { Events, QueryParams } from '../store/events.ts'

/** Selects quarantined events. Times are by arrival; `toMs` is exclusive. */
export type QuarantineQuery = {
  workspaceId: string
  fromMs: number
  toMs: number
  /** What came before it has expired. */
  expiryMs: number
  state?: QuarantineState | undefined
  /** Names, as sent or as the gate understood them. */
  names?: readonly string[] | undefined
  code?: string | undefined
  siteId?: string | undefined
  eventIds?: readonly string[] | undefined
}

/** A place in the order of arrival. Event ids are as long as their sender likes, so their hash orders them. */
export type Place = { ms: string; hash: string }

const time = (parameter: string) => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`

/** Rows of the decisions about the events in question. */
const stateRows = `quarantine_states
       WHERE workspace_id = {workspaceId:String} AND received_at >= ${time('fromMs')} AND received_at < ${time('toMs')}`

const hasState = (states: string) => `(q.received_at, q.event_id) IN (
       SELECT received_at, event_id FROM ${stateRows} AND state IN (${states}))`

const final = "'released', 'discarded'"
const stateConditions = {
  held: `q.received_at >= ${time('expiryMs')} AND NOT ${hasState(final)}`,
  expired: `q.received_at < ${time('expiryMs')} AND NOT ${hasState(final)}`,
  released: hasState("'released'"),
  discarded: hasState("'discarded'"),
} as const

/** Each quarantined event with its latest validation, if there was one after its arrival. */
const quarantinedEvents = `quarantine AS q
     LEFT JOIN (
       SELECT received_at, event_id, name, code, issues FROM ${stateRows} AND state = 'held'
       ORDER BY received_at, event_id, decided_at DESC LIMIT 1 BY received_at, event_id
     ) AS j ON j.received_at = q.received_at AND j.event_id = q.event_id`

const code = "if(j.code = '', q.code, j.code)"
const canonicalName = "if(j.code = '', q.name, j.name)"
const byArrival = '(q.received_at, cityHash64(q.event_id))'
const place = (prefix: string) => `(${time(`${prefix}Ms`)}, {${prefix}Hash:UInt64})`

function where(query: QuarantineQuery): string {
  const { state, names, siteId, eventIds } = query
  return [
    'q.workspace_id = {workspaceId:String}',
    `q.received_at >= ${time('fromMs')} AND q.received_at < ${time('toMs')}`,
    ...(state === undefined ? [] : [stateConditions[state]]),
    ...(names === undefined
      ? []
      : [`(q.sent_name IN {names:Array(String)} OR ${canonicalName} IN {names:Array(String)})`]),
    ...(query.code === undefined ? [] : [`${code} = {code:String}`]),
    ...(siteId === undefined ? [] : ['q.site_id = {siteId:String}']),
    ...(eventIds === undefined ? [] : ['q.event_id IN {eventIds:Array(String)}']),
  ].join('\n       AND ')
}

function paramsOf(query: QuarantineQuery, more: QueryParams = {}): QueryParams {
  const given = Object.entries({ ...query, ...more }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

function placeParams(prefix: string, { ms, hash }: Place): QueryParams {
  return { [`${prefix}Ms`]: ms, [`${prefix}Hash`]: hash }
}

type QuarantineKey = Place & { event_id: string }

const keyColumns = `toString(toUnixTimestamp64Milli(q.received_at)) AS ms, toString(cityHash64(q.event_id)) AS hash,
            q.event_id AS event_id`

/** Newest first. Only keys, so that what was sent is read for one page and not for all. */
export function selectNewest(
  events: Events,
  query: QuarantineQuery,
  before: Place | null,
  limit: number,
): Promise<QuarantineKey[]> {
  return events.query<QuarantineKey>(
    `SELECT ${keyColumns} FROM ${quarantinedEvents}
     WHERE ${where(query)} ${before === null ? '' : `AND ${byArrival} < ${place('before')}`}
     ORDER BY q.received_at DESC, cityHash64(q.event_id) DESC LIMIT {limit:UInt32}`,
    paramsOf(query, { limit, ...(before !== null && placeParams('before', before)) }),
  )
}

/** Oldest first, as they are released. */
export function selectOldest(
  events: Events,
  query: QuarantineQuery,
  after: Place | null,
  limit: number,
): Promise<QuarantineKey[]> {
  return events.query<QuarantineKey>(
    `SELECT ${keyColumns} FROM ${quarantinedEvents}
     WHERE ${where(query)} ${after === null ? '' : `AND ${byArrival} > ${place('after')}`}
     ORDER BY q.received_at, cityHash64(q.event_id) LIMIT {limit:UInt32}`,
    paramsOf(query, { limit, ...(after !== null && placeParams('after', after)) }),
  )
}

const rowColumns = `q.event_id AS event_id, toString(toUnixTimestamp64Milli(q.received_at)) AS received_ms,
            q.site_id AS site_id, ${canonicalName} AS name, q.sent_name AS sent_name, ${code} AS code,
            j.issues AS issues, q.held AS held`

/** Everything that is kept of the events from one place to another, both included. */
export function selectBetween(
  events: Events,
  query: QuarantineQuery,
  first: Place,
  last: Place,
): Promise<QuarantinedRow[]> {
  const narrow = { ...query, fromMs: Number(first.ms), toMs: Number(last.ms) + 1 }
  return events.query<QuarantinedRow>(
    `SELECT ${rowColumns} FROM ${quarantinedEvents}
     WHERE ${where(narrow)} AND ${byArrival} >= ${place('first')} AND ${byArrival} <= ${place('last')}
     ORDER BY q.received_at, cityHash64(q.event_id)`,
    paramsOf(narrow, { ...placeParams('first', first), ...placeParams('last', last) }),
  )
}

export type StateRow = {
  event_id: string
  received_ms: string
  state: 'released' | 'discarded'
  decided_ms: string
  decided_by: string
  patch: string
}

/** What was decided about events that are named; released outranks, since such an event is stored. */
export function selectFinalStates(events: Events, query: QuarantineQuery): Promise<StateRow[]> {
  return events.query<StateRow>(
    `SELECT event_id, toString(toUnixTimestamp64Milli(received_at)) AS received_ms, state,
            toString(toUnixTimestamp64Milli(decided_at)) AS decided_ms, decided_by, patch
     FROM ${stateRows} AND state IN (${final}) AND event_id IN {eventIds:Array(String)}
     ORDER BY received_at, event_id, state = 'discarded', decided_at LIMIT 1 BY received_at, event_id`,
    paramsOf(query),
  )
}

export async function countQuarantinedEvents(events: Events, query: QuarantineQuery): Promise<number> {
  const [row] = await events.query<{ events: string | number }>(
    `SELECT count() AS events FROM ${quarantinedEvents}
     WHERE ${where(query)}`,
    paramsOf(query),
  )
  return Number(row?.events ?? 0)
}

export type GroupRow = {
  site_id: string
  name: string
  code: string
  events: string | number
  last_ms: string
}

export function selectGroups(events: Events, query: QuarantineQuery, limit: number): Promise<GroupRow[]> {
  return events.query<GroupRow>(
    `SELECT q.site_id AS site_id, q.sent_name AS name, ${code} AS code, count() AS events,
            toString(toUnixTimestamp64Milli(max(q.received_at))) AS last_ms
     FROM ${quarantinedEvents}
     WHERE ${where(query)}
     GROUP BY q.site_id, q.sent_name, ${code} ORDER BY events DESC, q.sent_name, q.site_id LIMIT {limit:UInt32}`,
    paramsOf(query, { limit }),
  )
}

export type SampleRow = {
  site_id: string
  name: string
  code: string
  /** JSON, as are the properties. */
  issues: string
  properties: string
}

/** The newest events of each group. What was sent is read for these alone. */
export function selectSamples(
  events: Events,
  query: QuarantineQuery,
  groups: readonly Pick<GroupRow, 'site_id' | 'name' | 'code'>[],
  perGroup: number,
): Promise<SampleRow[]> {
  const isWanted = `(q.site_id, q.sent_name, ${code}) IN (
       SELECT tupleElement(one, 1), tupleElement(one, 2), tupleElement(one, 3) FROM (
         SELECT arrayJoin(arrayZip({siteIds:Array(String)}, {sentNames:Array(String)}, {codes:Array(String)})) AS one))`
  const newest = `SELECT q.received_at, q.event_id FROM ${quarantinedEvents}
       WHERE ${where(query)} AND ${isWanted}
       ORDER BY q.received_at DESC LIMIT {perGroup:UInt32} BY q.site_id, q.sent_name, ${code}`
  return events.query<SampleRow>(
    `SELECT q.site_id AS site_id, q.sent_name AS name, ${code} AS code,
            if(j.issues = '', JSONExtractRaw(q.held, 'verdict', 'issues'), j.issues) AS issues,
            JSONExtractRaw(q.held, 'event', 'properties') AS properties
     FROM ${quarantinedEvents}
     WHERE ${where(query)} AND (q.received_at, q.event_id) IN (${newest})
     ORDER BY q.received_at DESC`,
    paramsOf(query, {
      perGroup,
      siteIds: groups.map((group) => group.site_id),
      sentNames: groups.map((group) => group.name),
      codes: groups.map((group) => group.code),
    }),
  )
}

type DayRow = { day: string; code: string; events: string | number }

/** By the day of arrival in UTC, whatever became of the events. */
export function selectDays(events: Events, query: QuarantineQuery): Promise<DayRow[]> {
  return events.query<DayRow>(
    `SELECT toString(toDate(q.received_at)) AS day, ${code} AS code, count() AS events
     FROM ${quarantinedEvents}
     WHERE ${where(query)}
     GROUP BY toDate(q.received_at), ${code} ORDER BY day, ${code}`,
    paramsOf(query),
  )
}

/** The names of quarantined events, the most frequent first. */
export function selectNames(
  events: Events,
  query: QuarantineQuery,
  limit: number,
): Promise<{ name: string; sent_name: string }[]> {
  return events.query<{ name: string; sent_name: string }>(
    `SELECT ${canonicalName} AS name, q.sent_name AS sent_name
     FROM ${quarantinedEvents}
     WHERE ${where(query)}
     GROUP BY ${canonicalName}, q.sent_name ORDER BY count() DESC LIMIT {limit:UInt32}`,
    paramsOf(query, { limit }),
  )
}

type Decision = { id: string; atMs: number; by: string }

/** One statement for any number of events; those that were decided meanwhile are left out. */
export async function insertDiscards(
  events: Events,
  query: QuarantineQuery,
  decision: Decision,
): Promise<void> {
  await events.command(
    `INSERT INTO quarantine_states (workspace_id, received_at, event_id, state, decided_at, decided_by, decision_id,
                                    person_id)
     SELECT q.workspace_id, q.received_at, q.event_id, 'discarded', ${time('decidedMs')}, {decidedBy:String},
            {decisionId:String}, q.person_id
     FROM ${quarantinedEvents}
     WHERE ${where(query)}`,
    paramsOf(query, { decidedMs: decision.atMs, decidedBy: decision.by, decisionId: decision.id }),
  )
}

export async function countDecided(events: Events, workspaceId: string, decisionId: string): Promise<number> {
  const [row] = await events.query<{ decided: string | number }>(
    `SELECT count() AS decided FROM quarantine_states
     WHERE workspace_id = {workspaceId:String} AND decision_id = {decisionId:String}`,
    { workspaceId, decisionId },
  )
  return Number(row?.decided ?? 0)
}

/** Lets go of whole months, which costs nothing: both tables are cut by the month of arrival. */
export async function dropMonthsBefore(events: Events, month: string): Promise<void> {
  for (const table of ['quarantine', 'quarantine_states']) {
    const old = await events.query<{ month: string }>(
      `SELECT DISTINCT partition_id AS month FROM system.parts
       WHERE database = currentDatabase() AND table = {table:String} AND active AND partition_id < {month:String}`,
      { table, month },
    )
    for (const row of old) {
      await events.command(`ALTER TABLE ${table} DROP PARTITION ID {month:String}`, { month: row.month })
    }
  }
}
