import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'

export type ReplacedPart = { table: string; name: string }

/** Parts that were replaced and still lie on disk, of whichever table: any module may store something of people. */
export function selectReplacedParts(events: Events): Promise<ReplacedPart[]> {
  return events.query<ReplacedPart>(
    `SELECT table, name FROM system.parts
     WHERE database = currentDatabase() AND NOT active ORDER BY table, name`,
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

/**
 * Rows that were deleted or changed lie in the files until these are written again, and so does the journal. Both
 * belong to this process where the store is embedded. On a server only dead rows are cleared: its journal, its copies
 * and its backups are its operator's, and to write tables again would stop everybody.
 */
export async function rewriteControlFiles(control: Control, tables: readonly string[]): Promise<void> {
  const how = control.shared ? 'VACUUM' : 'VACUUM FULL'
  for (const table of tables) await control.script(`${how} "${table}"`)
  if (control.shared) return
  // A journal file that is no longer needed would be used again, with what it held before behind the end.
  await control.script('SET wal_recycle = off')
  await control.script('SELECT pg_switch_wal()')
  await control.script('CHECKPOINT')
}
