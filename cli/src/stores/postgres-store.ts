import pg from 'pg'
import { checked, clockFinding, type Finding } from './check-result.ts'

const store = 'Postgres'
const connectMsMax = 5_000
/** A server that hangs is a finding, not a wait. */
const statementMsMax = 10_000
const notifyMsMax = 3_000
/** The oldest that the tests run on. */
const versionMin = 15
/** What one node opens at most, with some left for backups and people. */
const connectionsMin = 25
/** No lock of the product. */
const lock = 7_303_999

export async function checkPostgres(url: string, now: () => number): Promise<Finding[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectMsMax,
    query_timeout: statementMsMax,
  })
  // A connection that breaks later is found by the next statement.
  client.on('error', () => {})
  const reachable = await checked(
    {
      store,
      what: 'connection',
      advice: 'Check ASSAY_POSTGRES_URL: host, port, database, user, password, TLS.',
    },
    async () => {
      await client.connect()
      return 'connected'
    },
  )
  if (reachable.outcome === 'fail') return [reachable]
  try {
    return [reachable, ...(await findings(client, now))]
  } finally {
    await client.end().catch(() => {})
  }
}

async function findings(client: pg.Client, now: () => number): Promise<Finding[]> {
  const text = async (sql: string) => String(Object.values((await client.query(sql)).rows[0] ?? {})[0])
  const all = [
    await checked({ store, what: 'version', advice: `Use Postgres ${versionMin} or later.` }, async () => {
      const version = await text('SHOW server_version')
      if (!(Number.parseInt(version, 10) >= versionMin)) throw new Error(version)
      return version
    }),
    await checked(
      { store, what: 'encoding', advice: "Create the database with ENCODING 'UTF8'." },
      async () => required(await text('SHOW server_encoding'), (found) => found === 'UTF8'),
    ),
    await checked({ store, what: 'writable', advice: 'Name the primary, not a standby.' }, async () => {
      if ((await text('SELECT pg_is_in_recovery()')) === 'true') throw new Error('a standby')
      return 'a primary'
    }),
    await checked(
      {
        store,
        what: 'rights',
        advice: 'GRANT CREATE ON the schema to the user, or make it the owner of the database.',
      },
      () => canCreate(client),
    ),
    await checked(
      {
        store,
        what: 'sessions',
        advice:
          'Connect to Postgres itself, or to a pooler in session mode: locks and notifications need one session.',
      },
      () => hasSessions(client),
    ),
    await checked(
      { store, what: 'connections', advice: 'Raise max_connections.', isWarning: true },
      async () => {
        const left = Number(
          await text(
            `SELECT current_setting('max_connections')::int - (SELECT count(*) FROM pg_stat_activity)`,
          ),
        )
        if (!(left >= connectionsMin))
          throw new Error(`${left} left, ${connectionsMin} are needed for each node`)
        return `${left} left`
      },
    ),
  ]
  const clock = () => text('SELECT extract(epoch FROM clock_timestamp()) * 1000')
  return [...all, await clockFinding(store, now, clock)]
}

function required(found: string, isFine: (found: string) => boolean): string {
  if (!isFine(found)) throw new Error(found)
  return found
}

async function canCreate(client: pg.Client): Promise<string> {
  await client.query('BEGIN')
  try {
    await client.query('CREATE TABLE assay_stores_check (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)')
    await client.query('INSERT INTO assay_stores_check DEFAULT VALUES')
    return 'may create tables and write'
  } finally {
    await client.query('ROLLBACK')
  }
}

async function hasSessions(client: pg.Client): Promise<string> {
  const heard = new Promise<boolean>((resolve) => {
    client.once('notification', () => resolve(true))
    setTimeout(() => resolve(false), notifyMsMax).unref()
  })
  await client.query('LISTEN assay_stores_check')
  await client.query('SELECT pg_advisory_lock($1)', [lock])
  await client.query("SELECT pg_notify('assay_stores_check', '')")
  const isHeard = await heard
  const { rows } = await client.query<{ is_held: boolean }>('SELECT pg_advisory_unlock($1) AS is_held', [
    lock,
  ])
  await client.query('UNLISTEN assay_stores_check')
  if (!isHeard) throw new Error('a notification was not delivered')
  if (rows[0]?.is_held !== true) throw new Error('a lock was lost between two statements')
  return 'locks and notifications work'
}
