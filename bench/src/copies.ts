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

/** A hundred thousand wide events in one statement ask for half of the memory that the portable engine has. */
const partsOfCopy = 4

/** Stands in no id that the generator makes, so that what came through the gate is told from its copies. */
const mark = '~'

/** A copy is other people at the same times: whatever names a person, a session, an order or an event is its own. */
const copied = (column: string) => `if(e.${column} = '', '', concat(e.${column}, {suffix:String}))`

const copyEvents = `
  INSERT INTO events SETTINGS max_partitions_per_insert_block = 0
  SELECT e.* REPLACE (
    concat(e.event_id, {suffix:String}) AS event_id, ${copied('person_id')} AS person_id,
    cityHash64(${copied('person_id')}) AS person_key, ${copied('session_id')} AS session_id,
    cityHash64(${copied('session_id')}) AS session_key, ${copied('user_id')} AS user_id,
    ${copied('anonymous_id')} AS anonymous_id, ${copied('order_id')} AS order_id,
    ${copied('duplicate_of')} AS duplicate_of)
  FROM events AS e
  WHERE e.site_id = {siteId:String} AND position(e.event_id, '${mark}') = 0
    AND e.ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
    AND e.ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`

/** Who was merged in the original is merged in the copy. */
const copyPeople = `
  INSERT INTO person_mapping (workspace_id, born_id, born_key, person_id, person_key, seq)
  SELECT workspace_id, concat(m.born_id, {suffix:String}), cityHash64(concat(m.born_id, {suffix:String})),
         concat(m.person_id, {suffix:String}), cityHash64(concat(m.person_id, {suffix:String})), m.seq
  FROM person_mapping AS m WHERE position(m.born_id, '${mark}') = 0`

const copyVerdicts = `
  INSERT INTO verdicts (workspace_id, site_id, hour, name, outcome, code, events, duplicates)
  SELECT v.workspace_id, v.site_id, v.hour, v.name, v.outcome, v.code,
         intDiv(sum(v.events) * {copies:UInt32}, {firstCopy:UInt32}),
         intDiv(sum(v.duplicates) * {copies:UInt32}, {firstCopy:UInt32})
  FROM verdicts AS v
  WHERE v.site_id = {siteId:String} AND v.hour >= toDateTime(intDiv({fromMs:Int64}, 1000), 'UTC')
    AND v.hour < toDateTime(intDiv({toMs:Int64}, 1000), 'UTC')
  GROUP BY v.workspace_id, v.site_id, v.hour, v.name, v.outcome, v.code`

const inScope = `site_id = {siteId:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`

export async function countEvents(
  events: Events,
  { siteId, fromMs, toMs }: Pick<Copying, 'siteId' | 'fromMs' | 'toMs'>,
): Promise<number> {
  const sql = `SELECT count() AS events FROM events WHERE ${inScope}`
  const [row] = await events.query<{ events: number | string }>(sql, { siteId, fromMs, toMs })
  return Number(row?.events ?? 0)
}

/**
 * Multiplies what the gate has let into a store, inside the store: the portable engine takes some thousand events a
 * second through the gate, and twenty million would take longer than anybody waits for a bench.
 */
export async function multiplyEvents(events: Events, copying: Copying): Promise<void> {
  const { copies, firstCopy, ...scope } = copying
  const { fromMs, toMs } = scope
  for (let copy = firstCopy; copy < firstCopy + copies; copy += 1) {
    const suffix = `${mark}${copy}`
    for (let part = 0; part < partsOfCopy; part += 1) {
      const bound = (place: number) => Math.round(fromMs + ((toMs - fromMs) * place) / partsOfCopy)
      await events.command(copyEvents, { ...scope, fromMs: bound(part), toMs: bound(part + 1), suffix })
    }
    await events.command(copyPeople, { suffix })
  }
  await events.command(copyVerdicts, copying)
}
