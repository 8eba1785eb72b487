import { type Logger, silentLogger } from '../platform/logger.ts'
import type { Control } from './control.ts'
import type { Events } from './events.ts'
import { locks } from './locks.ts'
import { type Migration, readMigrations, splitStatements } from './migration-files.ts'

/** A store was made by a build whose schema has nothing to do with ours. */
export class OtherSchema extends Error {
  override readonly name = 'OtherSchema'
}

/**
 * Brings both stores to the present. The control store's lock guards both, so that two nodes that start
 * together do it one after the other. The stores do not depend on each other.
 */
export async function migrate(
  control: Control,
  events: Events,
  logger: Logger = silentLogger,
): Promise<void> {
  await control.exclusively(locks.migrations, async () => {
    const done = await Promise.allSettled([migrateControl(control, logger), migrateEvents(events, logger)])
    for (const one of done) if (one.status === 'rejected') throw one.reason
  })
}

export async function migrateControl(control: Control, logger: Logger = silentLogger): Promise<void> {
  await control.script(
    'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
  )
  const done = new Set(
    (await control.query<{ name: string }>('SELECT name FROM migrations')).map((row) => row.name),
  )
  const migrations = readMigrations('control')
  requireOurs('control', done, migrations)
  for (const { name, text } of migrations) {
    if (done.has(name)) continue
    logger.info(`Migrating the control store: ${name}`)
    // One script is one transaction in Postgres, so a migration is applied whole or not at all.
    await control.script(`BEGIN;\n${text}\nINSERT INTO migrations (name) VALUES ('${name}');\nCOMMIT;`)
  }
}

export async function migrateEvents(events: Events, logger: Logger = silentLogger): Promise<void> {
  // On a cluster it is asked for first: nothing can be made there while a replica is away, and nothing has to be.
  if (events.cluster === null || !(await hasBook(events)))
    await events.command(
      'CREATE TABLE IF NOT EXISTS migrations (name String) ENGINE = MergeTree ORDER BY name',
    )
  const done = new Set(
    (await events.query<{ name: string }>('SELECT name FROM migrations')).map((row) => row.name),
  )
  const migrations = readMigrations('events')
  requireOurs('events', done, migrations)
  for (const { name, text } of migrations) {
    if (done.has(name)) continue
    logger.info(`Migrating the events store: ${name}`)
    // ClickHouse has no transactions: every statement says IF NOT EXISTS, so a torn migration is simply run again.
    for (const statement of splitStatements(text)) await events.command(statement)
    await events.command('INSERT INTO migrations SELECT {name:String}', { name })
  }
}

async function hasBook(events: Events): Promise<boolean> {
  const found = await events.query(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND name = 'migrations'",
  )
  return found.length > 0
}

/**
 * Unknown migrations in addition to ours belong to a newer version, which may have been rolled back. Without
 * our first one the store is not ours.
 */
function requireOurs(store: string, done: ReadonlySet<string>, [first]: readonly Migration[]): void {
  const applied = [...done].filter((name) => name.endsWith('.sql'))
  if (applied.length === 0 || first === undefined || done.has(first.name)) return
  throw new OtherSchema(
    `The ${store} store was made by an earlier build, whose data cannot be read. ` +
      'Start with an empty data directory (ASSAY_DATA_DIR), or with empty databases where the stores are servers.',
  )
}
