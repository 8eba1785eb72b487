import type { Events } from '../../server/src/store/events.ts'

/** Which stored events are copied, and how often. */
export type Copying = {
  readonly siteId: string
  readonly fromMs: number
  readonly toMs: number
  /** How many times they are there already; copies are numbered on from it. */
  readonly firstCopy: number
  readonly copies: number
}

/** Rows of one statement: as many as a part should have, and a tenth of the memory that the portable engine has. */
const rowsPerStatement = 200_000

/** Occurs in no generated id, so that original events are distinguished from their copies. */
const mark = '~'

const inScope = `site_id = {siteId:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`

/** What came through the gate, apart: to find it among millions of copies would take longer with every copy. */
const keepOriginals = `
  CREATE TABLE copied_events ENGINE = MergeTree ORDER BY ts
  AS SELECT * FROM events WHERE ${inScope} AND position(event_id, '${mark}') = 0`
const dropOriginals = 'DROP TABLE IF EXISTS copied_events'

/**
 * Of people: their ids keep the form that the product gives them, so that a copy can be exported and imported. The mark
 * and the number of the copy take the place of their last digits.
 */
const personMark = 'deadbeef'
const copiedId = (id: string) =>
  `if(${id} = '', '', concat(substring(${id}, 1, 18), '${personMark}', leftPad(lower(hex(copy)), 4, '0')))`

/** A copy is other people at the same times: whatever names a person, a session, an order or an event is its own. */
const suffix = `concat('${mark}', toString(copy))`
const copied = (column: string) => `if(e.${column} = '', '', concat(e.${column}, ${suffix}))`

/** The widest columns are left empty, save where something that is read is made of them as they are stored. */
const unread = ['url', 'title', 'referrer', 'issues', 'context', 'set_aside']
const propertiesRead = "('error', '$click', '$form_submit')"

/** A start looks at the sessions of what was received in the last hour: of a million copies it would be all. */
const receivedThen = 'least(e.received_at, e.ts + toIntervalSecond(1))'

const copyEvents = `
  INSERT INTO events
  SELECT e.* REPLACE (
    concat(e.event_id, ${suffix}) AS event_id, ${copiedId('e.person_id')} AS person_id,
    cityHash64(${copiedId('e.person_id')}) AS person_key, ${copied('session_id')} AS session_id,
    cityHash64(${copied('session_id')}) AS session_key, ${copied('user_id')} AS user_id,
    ${copied('anonymous_id')} AS anonymous_id, ${copied('order_id')} AS order_id,
    ${copied('duplicate_of')} AS duplicate_of, ${unread.map((column) => `'' AS ${column}`).join(', ')},
    if(e.name IN ${propertiesRead}, e.properties, '') AS properties, ${receivedThen} AS received_at)
  FROM copied_events AS e ARRAY JOIN range({firstCopy:UInt32}, {firstCopy:UInt32} + {copies:UInt32}) AS copy
  WHERE ${inScope}`

/** Who was merged in the original is merged in the copy. */
const copyPeople = `
  INSERT INTO person_mapping (workspace_id, original_id, original_key, person_id, person_key, seq)
  SELECT workspace_id, ${copiedId('m.original_id')}, cityHash64(${copiedId('m.original_id')}),
         ${copiedId('m.person_id')}, cityHash64(${copiedId('m.person_id')}), m.seq
  FROM person_mapping AS m ARRAY JOIN range({firstCopy:UInt32}, {firstCopy:UInt32} + {copies:UInt32}) AS copy
  WHERE substring(m.original_id, 19, 8) != '${personMark}'`

const copyVerdicts = `
  INSERT INTO verdicts (workspace_id, site_id, hour, name, outcome, code, events, duplicates)
  SELECT v.workspace_id, v.site_id, v.hour, v.name, v.outcome, v.code,
         intDiv(sum(v.events) * {copies:UInt32}, {firstCopy:UInt32}),
         intDiv(sum(v.duplicates) * {copies:UInt32}, {firstCopy:UInt32})
  FROM verdicts AS v
  WHERE v.site_id = {siteId:String} AND v.hour >= toDateTime(intDiv({fromMs:Int64}, 1000), 'UTC')
    AND v.hour < toDateTime(intDiv({toMs:Int64}, 1000), 'UTC')
  GROUP BY v.workspace_id, v.site_id, v.hour, v.name, v.outcome, v.code`

/** Those that count: an order that was reported before does not. */
export async function countEvents(
  events: Events,
  { siteId, fromMs, toMs }: Pick<Copying, 'siteId' | 'fromMs' | 'toMs'>,
): Promise<number> {
  const sql = `SELECT count() AS events FROM events WHERE ${inScope} AND duplicate_of = ''`
  const [row] = await events.query<{ events: number | string }>(sql, { siteId, fromMs, toMs })
  return Number(row?.events ?? 0)
}

/**
 * Multiplies events inside the store: the portable engine takes some thousand events per second through the
 * gate, so twenty million would take too long for a bench.
 */
export async function multiplyEvents(events: Events, copying: Copying): Promise<void> {
  const { siteId, fromMs, toMs, copies, firstCopy } = copying
  await events.command(dropOriginals)
  await events.command(keepOriginals, { siteId, fromMs, toMs })
  const starts = await slicesOf(events, copies)
  for (const [index, start] of starts.entries()) {
    const slice = { siteId, fromMs: start, toMs: starts[index + 1] ?? toMs }
    await events.command(copyEvents, { ...slice, firstCopy, copies })
  }
  await events.command(dropOriginals)
  await events.command(copyPeople, { firstCopy, copies })
  await events.command(copyVerdicts, copying)
}

/** Where slices of time begin, of so few events that all copies of one go into one statement. */
async function slicesOf(events: Events, copies: number): Promise<readonly number[]> {
  const rows = await events.query<{ start: number | string }>(
    `SELECT toUnixTimestamp64Milli(min(ts)) AS start
     FROM (SELECT ts, intDiv(row_number() OVER (ORDER BY ts) - 1, {rows:UInt32}) AS slice FROM copied_events)
     GROUP BY slice ORDER BY start`,
    { rows: Math.max(1, Math.floor(rowsPerStatement / copies)) },
  )
  return rows.map((row) => Number(row.start))
}
