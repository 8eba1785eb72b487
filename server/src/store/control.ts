import { mkdirSync } from 'node:fs'
import pg from 'pg'
import { closeDirectory } from '../platform/private-directory.ts'
import { reaching } from '../platform/store-failure.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from './control-engine/postgres-client.ts'
import type { ControlStoreCrash } from './control-engine/thread-exchange.ts'
import { PostgresListener } from './postgres-listener.ts'

export type Row = Record<string, unknown>

/** One SQL dialect over two connections: Postgres in a thread of this process, or a Postgres server. */
export type Sql = {
  query: <R extends Row = Row>(text: string, values?: readonly unknown[]) => Promise<R[]>
}

export type Control = Sql & {
  /** All or nothing; nested use is not supported. */
  transaction: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>
  /** Several statements at once, for migrations. */
  script: (text: string) => Promise<void>
  /** Runs alone among all processes that share this store. */
  exclusively: <T>(lock: number, work: () => Promise<T>) => Promise<T>
  /**
   * Subscribes to notices of other nodes; on an embedded store only this process sends. `missed` is called
   * when notices may have been lost.
   */
  listen: (channel: string, hear: (payload: string) => void, missed: () => void) => Promise<void>
  notify: (channel: string, payload: string) => Promise<void>
  ping: () => Promise<boolean>
  /** Runs with no query under way, what was written being in the files; null where the store is a server. */
  quietly: (<T>(work: () => Promise<T>) => Promise<T>) | null
  readonly shared: boolean
  close: () => Promise<void>
}

type ControlOptions = {
  dataDir: string
  url?: string | undefined
  /** Called once, if an embedded store is lost; every call fails from then on. */
  onCrash?: (crash: ControlStoreCrash) => void
}

export function openControl(options: ControlOptions): Promise<Control> {
  return options.url === undefined ? openEmbedded(options) : openServer(options.url)
}

async function openEmbedded({ dataDir, onCrash = () => {} }: ControlOptions): Promise<Control> {
  const directory = `${dataDir}/control`
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const postgres = await openEmbeddedPostgres({ directory, onCrash })
  // A new store is unpacked with its own modes, which let everyone write.
  closeDirectory(directory)
  return {
    shared: false,
    ...sqlOver(postgres.query),
    transaction: (work) => postgres.transaction((query) => work(sqlOver(query))),
    script: postgres.script,
    // One process owns an embedded store, so it is always alone.
    exclusively: (_lock, work) => work(),
    listen: (channel, hear) => postgres.listen(channel, hear),
    notify: async (channel, payload) =>
      void (await postgres.query('SELECT pg_notify($1, $2)', [channel, payload])),
    ping: async () => (await postgres.query('SELECT 1')).length === 1,
    quietly: async (work) => {
      await postgres.script('CHECKPOINT')
      // Nothing else is let in while a transaction is open.
      return postgres.transaction(() => work())
    },
    close: postgres.close,
  }
}

function sqlOver(query: EmbeddedPostgres['query']): Sql {
  return {
    query: async <R extends Row>(text: string, values?: readonly unknown[]) =>
      // boundary: a row has the columns that its statement names.
      (await query(text, values)) as R[],
  }
}

/** Enough for the control plane of one node; Postgres' own default limit is 100 connections in all. */
const connectionsMax = 10

async function openServer(url: string): Promise<Control> {
  const pool = new pg.Pool({ connectionString: url, max: connectionsMax })
  // An idle connection that breaks is replaced on next use; without a listener it would end the process.
  pool.on('error', () => {})
  const listener = new PostgresListener(url)
  try {
    await listener.connect()
  } catch (cause) {
    await pool.end()
    throw cause
  }
  return {
    shared: true,
    quietly: null,
    query: <R extends Row>(text: string, values: readonly unknown[] = []) =>
      reaching('control', async () => (await pool.query<R>(text, [...values])).rows),
    transaction: (work) => reaching('control', () => inTransaction(pool, work)),
    script: (text) => reaching('control', async () => void (await pool.query(text))),
    exclusively: (lock, work) => reaching('control', () => withAdvisoryLock(pool, lock, work)),
    listen: (channel, hear, missed) => listener.listen(channel, { hear, missed }),
    notify: (channel, payload) =>
      reaching(
        'control',
        async () => void (await pool.query('SELECT pg_notify($1, $2)', [channel, payload])),
      ),
    ping: async () => (await pool.query('SELECT 1')).rows.length === 1,
    close: async () => {
      await listener.close()
      await pool.end()
    },
  }
}

/**
 * A connection that breaks between two statements says so by an event, which would end the process if it went unheard.
 * One that broke, or that is left in an unknown state, is not used again.
 */
async function withClient<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, abandon: () => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let isLost = false
  const abandon = () => {
    isLost = true
  }
  client.on('error', abandon)
  try {
    return await work(client, abandon)
  } finally {
    client.off('error', abandon)
    client.release(isLost)
  }
}

function inTransaction<T>(pool: pg.Pool, work: (sql: Sql) => Promise<T>): Promise<T> {
  return withClient(pool, async (client, abandon) => {
    try {
      await client.query('BEGIN')
      const result = await work({
        query: async <R extends Row>(text: string, values: readonly unknown[] = []) =>
          (await client.query<R>(text, [...values])).rows,
      })
      await client.query('COMMIT')
      return result
    } catch (cause) {
      await client.query('ROLLBACK').catch(abandon)
      throw cause
    }
  })
}

function withAdvisoryLock<T>(pool: pg.Pool, lock: number, work: () => Promise<T>): Promise<T> {
  return withClient(pool, async (client, abandon) => {
    try {
      await client.query('SELECT pg_advisory_lock($1)', [lock])
      return await work()
    } finally {
      // A connection that ends gives its locks up.
      await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch(abandon)
    }
  })
}
