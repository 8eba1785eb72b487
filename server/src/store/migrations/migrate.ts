import { type Logger, silentLogger } from '../../platform/logging/logger.ts'
import type { Control } from '../control.ts'
import type { Events } from '../events.ts'
import { locks } from '../locks.ts'
import { type Migration, readMigrations, splitStatements } from './migration-files.ts'

/** A store was made by a build whose schema has nothing to do with ours. */
export class OtherSchema extends Error {
  override readonly name = 'OtherSchema'
}

/** What surrounds the migrations, while no other node can start. */
export type MigrationSteps = {
  before: (pending: readonly Migration[]) => Promise<void>
  after: () => Promise<void>
}

/**
 * Brings both stores to the present. The control store's lock guards both, so that two nodes that start
 * together do it one after the other. The stores do not depend on each other.
 */
export async function migrate(
  control: Control,
  events: Events,
  logger: Logger = silentLogger,
  steps?: MigrationSteps,
): Promise<void> {
  await control.exclusively(locks.migrations, async () => {
    const [ofControl, ofEvents] = await allOf([pendingInControl(control), pendingInEvents(events)])
    await steps?.before([...ofControl, ...ofEvents])
    await allOf([applyToControl(control, ofControl, logger), applyToEvents(events, ofEvents, logger)])
    await steps?.after()
  })
}

export async function migrateControl(control: Control): Promise<void> {
  await applyToControl(control, await pendingInControl(control), silentLogger)
}

export async function migrateEvents(events: Events): Promise<void> {
  await applyToEvents(events, await pendingInEvents(events), silentLogger)
}

/** Waits for both, also where one fails. */
async function allOf<One, Other>([one, other]: [Promise<One>, Promise<Other>]): Promise<[One, Other]> {
  const [first, second] = await Promise.allSettled([one, other])
  if (first.status === 'rejected') throw first.reason
  if (second.status === 'rejected') throw second.reason
  return [first.value, second.value]
}

async function pendingInControl(control: Control): Promise<Migration[]> {
  await control.script(
    'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
  )
  return pendingOf('control', await control.query<{ name: string }>('SELECT name FROM migrations'))
}

async function pendingInEvents(events: Events): Promise<Migration[]> {
  // On a cluster it is asked for first: nothing can be made there while a replica is away, and nothing has to be.
  if (events.cluster === null || !(await hasBook(events)))
    await events.command(
      'CREATE TABLE IF NOT EXISTS migrations (name String) ENGINE = MergeTree ORDER BY name',
    )
  return pendingOf('events', await events.query<{ name: string }>('SELECT name FROM migrations'))
}

function pendingOf(store: 'control' | 'events', applied: readonly { name: string }[]): Migration[] {
  const done = new Set(applied.map(({ name }) => name))
  const migrations = readMigrations(store)
  requireOurs(store, done, migrations)
  return migrations.filter(({ name }) => !done.has(name))
}

async function applyToControl(
  control: Control,
  migrations: readonly Migration[],
  logger: Logger,
): Promise<void> {
  for (const { name, text } of migrations) {
    logger.info(`Migrating the control store: ${name}`)
    // One script is one transaction in Postgres, so a migration is applied whole or not at all.
    await control.script(`BEGIN;\n${text}\nINSERT INTO migrations (name) VALUES ('${name}');\nCOMMIT;`)
  }
}

async function applyToEvents(
  events: Events,
  migrations: readonly Migration[],
  logger: Logger,
): Promise<void> {
  for (const { name, text } of migrations) {
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
