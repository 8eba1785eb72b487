import { sharedRun } from '../../platform/concurrency/shared-run.ts'
import { StoreUnreachable } from '../../platform/store-failure.ts'
import { readMigrations, splitStatements } from '../migrations/migration-files.ts'
import { significantWords } from '../sql-words.ts'
import type { Cluster } from './cluster.ts'
import { onCluster } from './cluster-schema.ts'

/**
 * An insert is answered when a majority of replicas has it. Inserts of several nodes do not wait for each other, which
 * `select_sequential_consistency` would need: reads wait for the replica instead. A statement on the cluster fails
 * before its request does.
 */
export const clusterSettings = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 1,
  insert_quorum_timeout: '30000',
  distributed_ddl_task_timeout: '50',
  distributed_ddl_output_mode: 'throw',
  // How long a statement waits for its replica to catch up; then it is answered that the store is unavailable.
  receive_timeout: 20,
  // Their subqueries read replicated tables only, which are brought up to date on every replica before.
  allow_nondeterministic_mutations: 1,
} as const

/**
 * A store of which each replica holds everything, some a little later. Every statement that reads sees all that was
 * acknowledged before it, on whichever replica.
 */
export function clusteredEvents<Store extends Statements>(events: Store, cluster: Cluster): Store {
  const current = currentReplica(events)
  const before = async <T>(sql: string, run: () => Promise<T>): Promise<T> => {
    await Promise.all(replicatedTables(sql).map(current))
    return run()
  }
  return {
    ...events,
    cluster,
    query: <R extends Record<string, unknown>>(sql: string, params?: Params) =>
      before(sql, () => events.query<R>(sql, params)),
    bytes: (sql: string, params?: Params) => before(sql, () => events.bytes(sql, params)),
    command: async (sql: string, params?: Params) => {
      const verb = significantWords(sql)[0]?.text
      if (verb === 'insert') return before(sql, () => events.command(sql, params))
      // Every replica works out a change of rows from its own tables.
      if (verb === 'alter') await syncAll(events, cluster, sql)
      return events.command(onCluster(sql, cluster.name), params)
    },
  }
}

/** What is added to: of the events store. */
type Statements = {
  readonly cluster: Cluster | null
  query: <R extends Record<string, unknown>>(sql: string, params?: Params) => Promise<R[]>
  bytes: (sql: string, params?: Params) => Promise<Buffer>
  command: (sql: string, params?: Params) => Promise<void>
}
type Params = Readonly<Record<string, unknown>>

/** What the product makes outside of migrations: the book of these, and lists of people that mutations read. */
const madeByCode = /^(?:migrations|person_list_\w+)$/
const createdTable = /^CREATE TABLE IF NOT EXISTS (\w+)/i
let migrated: ReadonlySet<string> | null = null

function migratedTables(): ReadonlySet<string> {
  migrated ??= new Set(
    readMigrations('events').flatMap(({ text }) =>
      splitStatements(text).flatMap((statement) => createdTable.exec(statement)?.[1] ?? []),
    ),
  )
  return migrated
}

/** At least those that a statement reads: a column may have the name of a table. */
export function replicatedTables(sql: string): string[] {
  const names = new Set(significantWords(sql).map((word) => word.text))
  return [...names].filter((name) => migratedTables().has(name) || madeByCode.test(name))
}

/** Waits until the replica has what was acknowledged before the call. Calls that come together share the next wait. */
function currentReplica(events: Statements): (table: string) => Promise<void> {
  // bounded: by the tables of the schema; lists of people are waited for one by one.
  const turns = new Map<string, () => Promise<void>>()
  return (table) => {
    if (!migratedTables().has(table)) return sync(events, table)
    const turn = turns.get(table) ?? sharedRun(() => sync(events, table))
    turns.set(table, turn)
    return turn()
  }
}

/** Only for parts that other replicas wrote, not for merges. */
async function sync(events: Statements, table: string, where = ''): Promise<void> {
  try {
    await events.command(`SYSTEM SYNC REPLICA ${where}${table} LIGHTWEIGHT`)
  } catch (cause) {
    throw new StoreUnreachable(`the replica of the events store does not catch up with ${table}`, { cause })
  }
}

async function syncAll(events: Statements, { name }: Cluster, sql: string): Promise<void> {
  if (!/\bSELECT\b/i.test(sql)) return
  for (const table of replicatedTables(sql)) await sync(events, table, `ON CLUSTER \`${name}\` `)
}
