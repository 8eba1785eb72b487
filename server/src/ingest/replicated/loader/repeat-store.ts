import type { Events } from '../../../store/events.ts'

/** A few thousand rows at a time. */
const rowsPerInsert = 10_000

export type KnownId = {
  kind: number
  id_hi: number
  id_lo: number
  workspace_id: string
  id: string
  event_id: string
  outcome: string
  is_public: number
}

export async function createIdTable(events: Events, table: string): Promise<void> {
  await events.command(`DROP TABLE IF EXISTS ${table}`)
  await events.command(`CREATE TABLE ${table} (id_hi UInt32, id_lo UInt32) ENGINE = Memory`)
}

/**
 * Which of these event ids (kind 0) and orders (kind 1) are stored; rows of secret senders first, and quarantined ones
 * last.
 */
export async function selectKnownIds(
  events: Events,
  table: string,
  ids: readonly { hi: number; lo: number }[],
): Promise<KnownId[]> {
  // Another replica of a cluster may have taken over, which has no such table.
  if (events.cluster !== null) await createIdTable(events, table)
  else await events.command(`TRUNCATE TABLE ${table}`)
  for (let from = 0; from < ids.length; from += rowsPerInsert) {
    const some = ids.slice(from, from + rowsPerInsert)
    await events.insertRows(
      table,
      some.map(({ hi, lo }) => ({ id_hi: hi, id_lo: lo })),
    )
  }
  // In one statement with the ids: a server that was restarted meanwhile lost them, and would know of none.
  const [counted, ...known] = await events.query<KnownId>(
    `SELECT kind, id_hi, id_lo, workspace_id, id, event_id, outcome, is_public FROM (
       SELECT 0 AS place, 0 AS kind, 0 AS id_hi, 0 AS id_lo, '' AS workspace_id, toString(count()) AS id,
              '' AS event_id, '' AS outcome, 0 AS is_public, 0 AS at
       FROM ${table}
       UNION ALL
       SELECT 1 AS place, kind, id_hi, id_lo, toString(workspace_id) AS workspace_id, id,
              event_id, toString(outcome) AS outcome, is_public, toUnixTimestamp64Milli(received_at) AS at
       FROM event_ids WHERE (id_hi, id_lo) IN (SELECT id_hi, id_lo FROM ${table}))
     ORDER BY place, is_public, outcome = 'quarantine', at`,
  )
  if (Number(counted?.id) !== ids.length) throw new Error('the events store was restarted meanwhile')
  return known
}
