import type { QueryParams } from '../../store/events.ts'
import type { Day } from './days.ts'

/** What a read takes its figures from: days that are summed up, and events of the time between them. */
export type Sources = {
  workspaceId: string
  siteId: string
  /** Runs of the days. */
  runs: readonly number[]
  /** Of both periods. */
  open: readonly Day[]
  /** Where the present period begins; whatever is before is of the previous one. */
  currentFromMs: number
  hasMerges: boolean
}

export const ofSite = 'workspace_id = {workspaceId:String} AND site_id = {siteId:String}'
/** Rows of the days. */
export const ofRuns = `${ofSite} AND run IN {runs:Array(UInt64)}`

export function paramsOf({ workspaceId, siteId, runs, currentFromMs }: Sources): QueryParams {
  return { workspaceId, siteId, runs, currentFromMs }
}

/** Conditions on events of the open time that count; numbers only, so that no parameter is needed for each. */
export function openWhere(open: readonly Day[]): string {
  const ranges = open.map(
    ({ fromMs, toMs }) =>
      `(ts >= fromUnixTimestamp64Milli(toInt64(${fromMs})) AND ts < fromUnixTimestamp64Milli(toInt64(${toMs})))`,
  )
  return `${ofSite} AND counted = 1 AND (${ranges.join(' OR ')})`
}

export const isCurrentEvent = 'ts >= fromUnixTimestamp64Milli({currentFromMs:Int64})'
export const isCurrentDay = 'from_ms >= {currentFromMs:Int64}'

const numbersOf = (kind: 0 | 1, column: string, where: string) => `
        SELECT key, number FROM summary_numbers
        WHERE ${ofSite} AND kind = ${kind} AND key IN (SELECT ${column} FROM events WHERE ${where})`

/**
 * Originals and current people of the workspace's merges, as two arrays that are read once. A key may be one of both.
 */
const mapping = `(SELECT (groupArray(original_key), groupArray(person_key)) FROM person_mapping FINAL
        WHERE workspace_id = {workspaceId:String}) AS mapping`
const isMerged = (key: string) => `${key} IN (SELECT arrayJoin(arrayConcat(mapping.1, mapping.2)))`
const currentOf = (key: string) => `transform(${key}, mapping.1, mapping.2, ${key})`

/** Of people who are part of a merge: their numbers, and the current person of each. */
export const mergesSql = `WITH ${mapping}, (
        SELECT (groupArray(number), groupArray(${currentOf('key')})) FROM summary_numbers
        WHERE ${ofSite} AND kind = 0 AND ${isMerged('key')}) AS merged,
        (SELECT groupBitmapState(arrayJoin(arrayPushBack(merged.1, toUInt32(0))))) AS merged_or_nobody`

/** Numbers of the sessions that have open events. */
export function openNumbers({ open }: Sources): string {
  return `SELECT number FROM (${numbersOf(1, 'session_key', `${openWhere(open)} AND is_bot = 0`)})`
}

/** Sessions of open events with their numbers, 0 for one that no day has seen. */
export function sessionsOfOpen({ open }: Sources): string {
  const where = `${openWhere(open)} AND is_bot = 0`
  return `
        SELECT e.name AS name, e.ts AS ts, e.session_key AS session_key, s.number AS session
        FROM (SELECT name, ts, session_key FROM events WHERE ${where} AND session_key != cityHash64('')) AS e
        LEFT ANY JOIN (${numbersOf(1, 'session_key', where)}) AS s ON e.session_key = s.key`
}

/**
 * Open events with the numbers of people and sessions. `whose` is the current person, and `is_merged` says that
 * they are part of a merge.
 */
export function openEvents(sources: Sources): string {
  const where = `${openWhere(sources.open)} AND is_bot = 0`
  const columns = 'name, path, source, country, device, ts, person_key, session_key'
  const mapped = sources.hasMerges
    ? `${currentOf('e.person_key')} AS whose, ${isMerged('e.person_key')} AS is_merged`
    : 'e.person_key AS whose, 0 AS is_merged'
  return `(
        SELECT ${columns.replaceAll(/\w+/g, 'e.$& AS $&')}, p.number AS person, s.number AS session, ${mapped}
        FROM (SELECT ${columns} FROM events WHERE ${where}) AS e
        LEFT ANY JOIN (${numbersOf(0, 'person_key', where)}) AS p ON e.person_key = p.key
        LEFT ANY JOIN (${numbersOf(1, 'session_key', where)}) AS s ON e.session_key = s.key
      )`
}
