import { eventSource, type ReadOverlays } from './event-source.ts'
import type { QueryParams } from './events.ts'
import { isPathPattern, pathExpression } from './path-pattern.ts'

/** A condition on rows of events, with its parameters. Their names must not be those of others in the statement. */
export type SqlCondition = { sql: string; params: QueryParams }

/** What of a site's events a read is about. Bots are left out unless asked for; a repeated order never counts. */
export type EventFilter = {
  workspaceId: string
  siteId: string
  includeBots: boolean
  /** A path, or a pattern such as `/product/:id` or `/blog/*`. */
  path?: string | undefined
  country?: string | undefined
  device?: string | undefined
  source?: string | undefined
  event?: string | undefined
  /** Whose events: a condition on `person_key`, such as membership of an audience. */
  people?: SqlCondition | undefined
  /** What lies over the site's events. */
  readOverlays: ReadOverlays
}

/** [fromMs, toMs); or two periods read together, which are all of it before and after a border. */
export type TimeRange = { fromMs: number; toMs: number; border?: Border }

/** The first of two periods ends here, the second begins there; nothing between them counts. */
type Border = { endMs: number; startMs: number }

/** What stands behind FROM and behind WHERE, and the parameters of both. */
export type Selection = { from: string; where: string; params: QueryParams }

/** The events that match everything in the filter. */
export function eventsOf(filter: EventFilter, range: TimeRange): Selection {
  const base = baseOf(filter, range)
  const matching = matchingOf(filter)
  return {
    from: base.from,
    where: [base.where, ...matching.map(({ sql }) => sql)].join(' AND '),
    params: Object.assign({}, base.params, ...matching.map(({ params }) => params)),
  }
}

/**
 * For reads that do not depend on people: looking up merges makes a read of wide columns three to four times
 * as expensive.
 */
export function withoutPeople(filter: EventFilter): EventFilter {
  return filter.people === undefined
    ? { ...filter, readOverlays: { ...filter.readOverlays, hasMerges: false } }
    : filter
}

export type Subject = 'session' | 'person'
const subjectKeys = { session: 'session_key', person: 'person_key' } as const

/** The column that identifies subjects. */
export function subjectKey(subject: Subject): 'session_key' | 'person_key' {
  return subjectKeys[subject]
}

/** All events of some visits; `matches` holds for those of them that match the filter themselves. */
export type Visits = Selection & { matches: string }

const hasSession = "session_key != cityHash64('')"
/** Of two periods, whether an event lies in the second. */
export const isAfterBorder = 'ts >= fromUnixTimestamp64Milli({borderStartMs:Int64})'

/**
 * All events of the visits of which at least one event matches the filter: the steps of a visit contain
 * neither its source nor each other's paths. An event without a session is a visit alone. An audience is not
 * a property of a visit: only events of its people are in any of them. Each of two periods has its own
 * visits, so that its figures do not depend on the other.
 */
export function visitsOf(filter: EventFilter, range: TimeRange): Visits {
  const base = baseOf(filter, range)
  const own = matchingOf({ ...filter, people: undefined })
  const whose = filter.people === undefined ? [] : [filter.people]
  const matches = own.length === 0 ? '1' : `(${own.map(({ sql }) => sql).join(' AND ')})`
  const among = own.length === 0 ? [] : [`(${matches} OR ${inMatchingSession(filter, range)})`]
  return {
    from: base.from,
    where: [base.where, ...whose.map(({ sql }) => sql), ...among].join(' AND '),
    params: Object.assign({}, base.params, ...[...own, ...whose].map(({ params }) => params)),
    matches,
  }
}

function inMatchingSession(filter: EventFilter, range: TimeRange): string {
  // Only an audience depends on current people.
  const { from, where } = eventsOf(withoutPeople(filter), range)
  const key = range.border === undefined ? 'session_key' : `(${isAfterBorder}, session_key)`
  return `${key} IN (SELECT ${key} FROM ${from} WHERE ${where} AND ${hasSession})`
}

/** Visits by session or by person. Events without a session (or person) are in none. */
export function sequencesOf(asked: EventFilter, range: TimeRange, subject: Subject): Selection {
  // The people of sessions are read only if people are counted.
  const { from, where, params } = visitsOf(subject === 'session' ? withoutPeople(asked) : asked, range)
  return { from, where: `${where} AND ${subjectKeys[subject]} != cityHash64('')`, params }
}

/** Whether anything narrows the events of the site down. */
export function isFiltered(filter: EventFilter): boolean {
  return matchingOf(filter).length > 0
}

/** All events of the site that count, in the time that is asked for. */
function baseOf(
  { readOverlays, workspaceId, siteId, includeBots }: EventFilter,
  range: TimeRange,
): Selection {
  const { fromMs, toMs, border } = range
  const source = eventSource(readOverlays, { workspaceId, siteId, fromMs, toMs })
  const conditions = [
    'workspace_id = {workspaceId:String}',
    'site_id = {siteId:String}',
    'ts >= fromUnixTimestamp64Milli({fromMs:Int64})',
    'ts < fromUnixTimestamp64Milli({toMs:Int64})',
    'counted = 1',
    ...(includeBots ? [] : ['is_bot = 0']),
    ...(border === undefined || border.endMs === border.startMs ? [] : [outsideGap]),
  ]
  return {
    from: source.from,
    where: conditions.join(' AND '),
    params: {
      workspaceId,
      siteId,
      fromMs,
      toMs,
      ...(border !== undefined && { borderEndMs: border.endMs, borderStartMs: border.startMs }),
      ...source.params,
    },
  }
}

const outsideGap = `(ts < fromUnixTimestamp64Milli({borderEndMs:Int64}) OR ${isAfterBorder})`

function matchingOf({ path, country, device, source, event, people }: EventFilter): SqlCondition[] {
  const wanted: (SqlCondition | undefined)[] = [
    path === undefined ? undefined : pathCondition(path),
    country === undefined ? undefined : { sql: 'country = {country:String}', params: { country } },
    device === undefined ? undefined : { sql: 'device = {device:String}', params: { device } },
    source === undefined ? undefined : { sql: 'source = {source:String}', params: { source } },
    event === undefined ? undefined : { sql: 'name = {event:String}', params: { event } },
    people,
  ]
  return wanted.filter((condition) => condition !== undefined)
}

function pathCondition(path: string): SqlCondition {
  return isPathPattern(path)
    ? { sql: 'match(path, {path:String})', params: { path: pathExpression(path) } }
    : { sql: 'path = {path:String}', params: { path } }
}
