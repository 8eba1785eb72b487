import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdirSync } from 'node:fs'
import type pg from 'pg'
import { closeDirectory } from '../platform/files/private-directory.ts'
import { reaching } from '../platform/store-failure.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from './control-engine/postgres-client.ts'
import type { ControlStoreCrash } from './control-engine/thread-exchange.ts'
import { PostgresListener } from './postgres/postgres-listener.ts'
import {
  isUnanswered,
  jobBounds,
  openPool,
  type PostgresBounds,
  requestBounds,
} from './postgres/postgres-pool.ts'

type Row = Record<string, unknown>

/** One SQL dialect over two connections: Postgres in a thread of this process, or a Postgres server. */
export type Sql = {
  query: <R extends Row = Row>(text: string, values?: readonly unknown[]) => Promise<R[]>
}

export type Control = Sql & {
  /** All or nothing; nested use is not supported. */
  transaction: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>
  /** Statements of this work may take as long as those of a job: no request waits for them. */
  unhurried: <T>(work: () => Promise<T>) => Promise<T>
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
  /** How long a server may take for what requests wait for. */
  bounds?: PostgresBounds
  /** Called once, if an embedded store is lost; every call fails from then on. */
  onCrash?: (crash: ControlStoreCrash) => void
}

export function openControl(options: ControlOptions): Promise<Control> {
  return options.url === undefined
    ? openEmbedded(options)
    : openServer(options.url, options.bounds ?? requestBounds)
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
    unhurried: (work) => work(),
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

async function openServer(url: string, bounds: PostgresBounds): Promise<Control> {
  const listener = new PostgresListener(url, bounds)
  // No request waits for a start, and the engine that opens at the same time keeps a slow machine busy.
  await reaching('control', () => listener.connect(jobBounds.connectMs))
  const requests = openPool(url, bounds)
  const jobs = openPool(url, jobBounds)
  const unhurried = new AsyncLocalStorage<true>()
  const pool = () => (unhurried.getStore() === true ? jobs : requests)
  return {
    shared: true,
    quietly: null,
    query: <R extends Row>(text: string, values: readonly unknown[] = []) =>
      reaching('control', async () => (await pool().query<R>(text, [...values])).rows),
    transaction: (work) => reaching('control', () => inTransaction(pool(), work)),
    unhurried: (work) => unhurried.run(true, work),
    script: (text) => reaching('control', async () => void (await jobs.query(text))),
    exclusively: (lock, work) => reaching('control', () => withAdvisoryLock(pool(), lock, work)),
    listen: (channel, hear, missed) => listener.listen(channel, { hear, missed }),
    notify: (channel, payload) =>
      reaching(
        'control',
        async () => void (await pool().query('SELECT pg_notify($1, $2)', [channel, payload])),
      ),
    ping: async () => (await requests.query('SELECT 1')).rows.length === 1,
    close: async () => {
      await listener.close()
      await Promise.all([requests.end(), jobs.end()])
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
      if (isUnanswered(cause)) abandon()
      else await client.query('ROLLBACK').catch(abandon)
      throw cause
    }
  })
}

function withAdvisoryLock<T>(pool: pg.Pool, lock: number, work: () => Promise<T>): Promise<T> {
  return withClient(pool, async (client, abandon) => {
    await client.query('SELECT pg_advisory_lock($1)', [lock]).catch((cause: unknown) => {
      abandon()
      throw cause
    })
    try {
      return await work()
    } finally {
      // A connection that ends gives its locks up.
      await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch(abandon)
    }
  })
}
