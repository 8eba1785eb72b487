import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'

export type ReplacedPart = { host: string; table: string; name: string }

/**
 * Parts that were replaced and still lie on disk, of whichever table: any module may store something of people. Those
 * of all replicas of a cluster; one that does not answer fails the statement.
 */
export function selectReplacedParts(events: Events): Promise<ReplacedPart[]> {
  const { cluster } = events
  const parts = cluster === null ? 'system.parts' : `clusterAllReplicas('${cluster.name}', system.parts)`
  return events.query<ReplacedPart>(
    `SELECT ${cluster === null ? "''" : 'hostName()'} AS host, table, name FROM ${parts}
     WHERE database = currentDatabase() AND NOT active ORDER BY host, table, name`,
  )
}

/** As the migrations have it; the engine's own default. */
const lifetimeSeconds = 480

/** The engine looks for what may go whenever a partition is dropped, also where there is none of that name. */
export async function removeReplacedParts(events: Events, table: string): Promise<void> {
  await events.command(`ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = 0`)
  await events.command(`ALTER TABLE ${table} DROP PARTITION ID 'none'`)
  await events.command(`ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = ${lifetimeSeconds}`)
}

/** For how long replaced parts stay on every replica. Each removes what may go within minutes. */
export async function keepReplacedParts(events: Events, table: string, isKept: boolean): Promise<void> {
  await events.command(
    `ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = ${isKept ? lifetimeSeconds : 0}`,
  )
}

/**
 * Deleted or changed rows stay in the files until these are rewritten, and so does the journal. Both belong
 * to this process if the store is embedded. On a server only dead rows are vacuumed: its journal, copies and
 * backups are its operator's, and rewriting tables would block everyone.
 */
export async function rewriteControlFiles(control: Control, tables: readonly string[]): Promise<void> {
  const how = control.shared ? 'VACUUM' : 'VACUUM FULL'
  for (const table of tables) await control.script(`${how} "${table}"`)
  if (control.shared) return
  // An obsolete journal file would be reused, with its old content after the end.
  await control.script('SET wal_recycle = off')
  await control.script('SELECT pg_switch_wal()')
  await control.script('CHECKPOINT')
}
