import type { Count, Events } from '../../store/events.ts'
import { dayTables } from '../../store/summaries/changes.ts'
import { conversionEvents, passiveEvents, revenueEvents, signedAmount } from '../event-kinds.ts'
import type { Site } from './read-store.ts'

/** One day of a site, by the clocks of its zone, and who sums it up. */
export type DayRun = {
  workspaceId: string
  siteId: string
  fromMs: number
  toMs: number
  /** A number that no other run of the site has. */
  run: number
}

const ofSite = 'workspace_id = {workspaceId:String} AND site_id = {siteId:String}'
const stored = `${ofSite} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64})
        AND ts < fromUnixTimestamp64Milli({toMs:Int64}) AND counted = 1`
/** What an overview without filters counts. */
const counted = `${stored} AND is_bot = 0`
const named = 'toString({workspaceId:String}), toString({siteId:String}), toInt64({fromMs:Int64})'
const ofRun = `${named}, toUInt64({run:UInt64})`
const isSomebody = "person_key != cityHash64('')"
const isVisit = "session_key != cityHash64('')"
/** A server ends what its client has given up, so that two builds never number the same key. */
const bounded = 'SETTINGS max_execution_time = 50'

const numbersOf = (kind: 0 | 1, column: string) => `
      SELECT key, number, from_ms FROM summary_numbers
      WHERE ${ofSite} AND kind = ${kind} AND key IN (SELECT ${column} FROM events WHERE ${counted})`

/** Events of the day with the numbers of their people and sessions, 0 for none. */
const numbered = (where: string) => `(
      SELECT e.name AS name, e.path AS path, e.source AS source, e.country AS country, e.device AS device,
             e.is_bot AS is_bot, e.ts AS ts, p.number AS person, s.number AS session, s.from_ms AS session_from
      FROM (SELECT * FROM events WHERE ${where}) AS e
      LEFT ANY JOIN (${numbersOf(0, 'person_key')}) AS p ON e.person_key = p.key
      LEFT ANY JOIN (${numbersOf(1, 'session_key')}) AS s ON e.session_key = s.key
    )`

const newKeys = (kind: 0 | 1, column: string, isOne: string) => `
      SELECT ${kind} AS kind, ${column} AS key, min(ts) AS first_ts FROM events
      WHERE ${counted} AND ${isOne} AND ${column} NOT IN (SELECT key FROM (${numbersOf(kind, column)}))
      GROUP BY key`
const lastNumber = (kind: 0 | 1) =>
  `(SELECT max(number) FROM summary_numbers WHERE ${ofSite} AND kind = ${kind})`

/** Numbers for whom none of the other days has seen, in the order of first sight. */
export async function insertNumbers(events: Events, day: DayRun): Promise<void> {
  await events.command(
    `INSERT INTO summary_numbers (workspace_id, site_id, from_ms, kind, key, number)
     SELECT ${named}, kind, key,
            toUInt32(if(kind = 0, ${lastNumber(0)}, ${lastNumber(1)})
              + row_number() OVER (PARTITION BY kind ORDER BY first_ts, key))
     FROM (${newKeys(0, 'person_key', isSomebody)}
      UNION ALL ${newKeys(1, 'session_key', isVisit)})
     ${bounded}`,
    day,
  )
}

const nobody = 'bitmapBuild([toUInt32(0)])'
/** The numbers in a column; 0 stands for none. */
const bits = (column: string) => `bitmapAndnot(groupBitmapState(${column}), ${nobody})`

export async function insertValues(events: Events, day: DayRun): Promise<void> {
  await events.command(
    `INSERT INTO summary_values (workspace_id, site_id, from_ms, run, dimension, value, people, sessions, events,
                                 amount)
     SELECT ${ofRun}, of.1 AS dimension, of.2 AS value, ${bits('person')}, ${bits('session')}, count(),
            toDecimal128(0, 4)
     FROM ${numbered(counted)}
     ARRAY JOIN arrayConcat(if(name = '$pageview', [('pages', path)], []),
       [('sources', toString(source)), ('countries', toString(country)), ('devices', toString(device)),
        ('events', toString(name))]) AS of
     GROUP BY dimension, value
     UNION ALL
     SELECT ${ofRun}, 'revenue', toString(currency), ${bits('toUInt32(0)')}, ${bits('toUInt32(0)')}, count(),
            toDecimal128(sum(assumeNotNull(${signedAmount})), 4)
     FROM events WHERE ${counted} AND name IN ${revenueEvents} AND amount IS NOT NULL GROUP BY currency
     ${bounded}`,
    day,
  )
}

export async function insertVisits(events: Events, day: DayRun): Promise<void> {
  await events.command(
    `INSERT INTO summary_visits (workspace_id, site_id, from_ms, run, number, first_ms, last_ms, active, goals)
     SELECT ${ofRun}, session, toUnixTimestamp64Milli(min(ts)), toUnixTimestamp64Milli(max(ts)),
            countIf(name NOT IN ${passiveEvents}), countIf(name IN ${conversionEvents})
     FROM ${numbered(counted)} WHERE session != 0 GROUP BY session
     ${bounded}`,
    day,
  )
}

/** Last: with it the day counts, as long as the number of its changes is this one. */
export async function insertDay(events: Events, day: DayRun, changes: number): Promise<void> {
  await events.command(
    `INSERT INTO summary_days (workspace_id, site_id, from_ms, run, to_ms, changes, people, sessions, returning,
                               events, pageviews, conversions, bot_events, bounced, duration_ms, converted)
     SELECT ${ofRun}, toInt64({toMs:Int64}), toUInt64({changes:UInt64}), e.people, e.sessions, e.returning, e.events,
            e.pageviews, e.conversions, e.bot_events, v.bounced, v.duration_ms, v.converted
     FROM (
       SELECT ${bits('if(is_bot = 0, person, 0)')} AS people, ${bits('if(is_bot = 0, session, 0)')} AS sessions,
              ${bits('if(is_bot = 0 AND session_from != {fromMs:Int64}, session, 0)')} AS returning,
              countIf(is_bot = 0) AS events, countIf(is_bot = 0 AND name = '$pageview') AS pageviews,
              countIf(is_bot = 0 AND name IN ${conversionEvents}) AS conversions, countIf(is_bot = 1) AS bot_events
       FROM ${numbered(stored)}
     ) AS e CROSS JOIN (
       SELECT countIf(active <= 1) AS bounced, sum(last_ms - first_ms) AS duration_ms,
              countIf(goals > 0) AS converted
       FROM summary_visits WHERE ${ofSite} AND from_ms = {fromMs:Int64} AND run = {run:UInt64}
     ) AS v
     ${bounded}`,
    { ...day, changes },
  )
}

/** Sites with so many events within a month, and those that were found before with whether it is long enough ago. */
export async function registerSites(events: Events, eventsMin: number): Promise<void> {
  await events.command(
    `INSERT INTO summary_sites (workspace_id, site_id)
     SELECT workspace_id, site_id FROM verdicts
     WHERE hour >= now() - INTERVAL 30 DAY AND outcome IN ('accept', 'warn')
       AND (workspace_id, site_id) NOT IN (SELECT workspace_id, site_id FROM summary_sites)
     GROUP BY workspace_id, site_id HAVING sum(events) >= {eventsMin:UInt64}`,
    { eventsMin },
  )
}

/** Since a while: a change that has just been made to events of a site may not have known that it is summed up. */
export async function selectSites(events: Events, quietMs: number): Promise<Site[]> {
  const rows = await events.query<{ workspace_id: string; site_id: string }>(
    `SELECT workspace_id, site_id FROM summary_sites
     GROUP BY workspace_id, site_id
     HAVING toUnixTimestamp64Milli(max(since)) <= toUnixTimestamp64Milli(now64(3)) - {quietMs:Int64}
     ORDER BY workspace_id, site_id`,
    { quietMs },
  )
  return rows.map((row) => ({ workspaceId: row.workspace_id, siteId: row.site_id }))
}

/** The clock of the store, by which loads are late; and whether it is still rewriting events. */
export async function selectStoreState(events: Events): Promise<{ nowMs: number; isChanging: boolean }> {
  const [row] = await events.query<{ now_ms: Count; unfinished: Count }>(
    `SELECT toUnixTimestamp64Milli(now64(3)) AS now_ms, count() AS unfinished FROM system.mutations
     WHERE database = currentDatabase() AND table = 'events' AND NOT is_done`,
  )
  return { nowMs: Number(row?.now_ms ?? 0), isChanging: Number(row?.unfinished ?? 0) > 0 }
}

export async function selectFirstEventMs(events: Events, site: Site): Promise<number | null> {
  const [row] = await events.query<{ ms: Count }>(
    `SELECT toUnixTimestamp64Milli(ts) AS ms FROM events WHERE ${ofSite} ORDER BY ts LIMIT 1`,
    site,
  )
  return row === undefined ? null : Number(row.ms)
}

/** Each key has one number, and each number one key. */
export async function hasSoundNumbers(events: Events, site: Site): Promise<boolean> {
  const [row] = await events.query<{ is_sound: Count }>(
    `SELECT count() = uniqExact(kind, key) AND count() = uniqExact(kind, number) AS is_sound
     FROM summary_numbers WHERE ${ofSite}`,
    site,
  )
  return Number(row?.is_sound ?? 1) === 1
}

/** Everything of a site; days first, without which nothing else is read. */
export async function deleteSite(events: Events, site: Site): Promise<void> {
  for (const table of [...dayTables, 'summary_numbers']) {
    await events.command(`ALTER TABLE ${table} DELETE WHERE ${ofSite} SETTINGS mutations_sync = 2`, site)
  }
}

/** Rows of runs that do not count any more, and all rows. */
export async function countUnused(
  events: Events,
  site: Site,
  runs: readonly number[],
): Promise<{ unused: number; all: number }> {
  const [row] = await events.query<{ unused: Count; all: Count }>(
    `SELECT countIf(run NOT IN {runs:Array(UInt64)}) AS unused, count() AS all FROM summary_values WHERE ${ofSite}`,
    { ...site, runs },
  )
  return { unused: Number(row?.unused ?? 0), all: Number(row?.all ?? 0) }
}

export async function deleteUnused(events: Events, site: Site, runs: readonly number[]): Promise<void> {
  for (const table of dayTables) {
    await events.command(
      `ALTER TABLE ${table} DELETE WHERE ${ofSite} AND run NOT IN {runs:Array(UInt64)} SETTINGS mutations_sync = 2`,
      { ...site, runs },
    )
  }
}

const isUnused = (kind: 0 | 1, column: 'people' | 'sessions') =>
  `kind = ${kind} AND number NOT IN (
     SELECT arrayJoin(bitmapToArray(groupBitmapMergeState(${column}))) FROM summary_days WHERE ${ofSite})`
const unusedNumbers = `${ofSite} AND (${isUnused(0, 'people')} OR ${isUnused(1, 'sessions')})`

/** Numbers that are in no day any more: their people and sessions are gone from the events, or their days are. */
export async function deleteUnusedNumbers(events: Events, site: Site): Promise<void> {
  const [row] = await events.query<{ unused: Count }>(
    `SELECT count() AS unused FROM summary_numbers WHERE ${unusedNumbers}`,
    site,
  )
  if (Number(row?.unused ?? 0) === 0) return
  await events.command(
    `ALTER TABLE summary_numbers DELETE WHERE ${unusedNumbers} SETTINGS mutations_sync = 2`,
    site,
  )
}
