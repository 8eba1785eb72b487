import { checked, clockFinding, type Finding, type Run, reasonOf } from './check-result.ts'
import { clusterFindings } from './cluster-store.ts'

const store = 'ClickHouse'
const requestMsMax = 10_000
/** The oldest that knows every setting of the schema, and that of the embedded engine, which the tests run on. */
const versionMin = [24, 8]
const versionTested = [26, 5]

export async function checkClickHouse(
  url: string,
  cluster: string | undefined,
  { fetch: send, now, newId }: { fetch: typeof fetch; now: () => number; newId: () => string },
): Promise<Finding[]> {
  const table = `assay_stores_check_${newId().replaceAll('-', '')}`
  const run = runnerOf(url, send)
  const advice = 'Check ASSAY_CLICKHOUSE_URL: http or https, port 8123 or 8443, user, password, database.'
  const reachable = await checked({ store, what: 'connection', advice }, async () => {
    await run('SELECT 1')
    return 'connected'
  })
  if (reachable.outcome === 'fail') return [reachable]
  return [
    reachable,
    await versionFinding(run),
    await checked(
      {
        store,
        what: 'database',
        advice:
          'Use an ordinary database: the product replicates its tables itself, see ASSAY_CLICKHOUSE_CLUSTER.',
      },
      async () => {
        const engine = await run('SELECT engine FROM system.databases WHERE name = currentDatabase()')
        if (engine === 'Replicated') throw new Error('a replicated database')
        return `database engine ${engine}`
      },
    ),
    ...(cluster === undefined
      ? [await tableFinding(run, table)]
      : await clusterFindings(run, cluster, table)),
    await clockFinding(store, now, () => run('SELECT toUnixTimestamp64Milli(now64(3))')),
  ]
}

/** As the product connects: user, password and database are parts of the address. */
function runnerOf(text: string, send: typeof fetch): Run {
  return async (sql, settings = {}) => {
    const url = new URL(text)
    const { username, password, pathname } = url
    const database = decodeURIComponent(pathname.slice(1))
    const query = new URLSearchParams({ ...settings, ...(database !== '' && { database }) })
    const headers: Record<string, string> = {
      ...(username !== '' && { 'x-clickhouse-user': decodeURIComponent(username) }),
      ...(password !== '' && { 'x-clickhouse-key': decodeURIComponent(password) }),
    }
    const signal = AbortSignal.timeout(requestMsMax)
    const answer = await send(`${url.origin}/?${query}`, { method: 'POST', body: sql, headers, signal })
    const body = (await answer.text()).trim()
    if (!answer.ok) throw new Error(body.split('\n')[0]?.slice(0, 300) ?? String(answer.status))
    return body
  }
}

export async function versionFinding(run: Run): Promise<Finding> {
  const found = await run('SELECT version()').catch(reasonOf)
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(found) ?? []
  const isFrom = ([ours = 0, own = 0]: readonly number[]) =>
    major !== undefined && (Number(major) > ours || (Number(major) === ours && Number(minor) >= own))
  const known = { store, what: 'version', found } as const
  if (!isFrom(versionMin)) {
    return { ...known, outcome: 'fail', advice: `Use ClickHouse ${versionMin.join('.')} or later.` }
  }
  if (!isFrom(versionTested)) {
    return { ...known, outcome: 'warn', advice: `The product is tested with ${versionTested.join('.')}.` }
  }
  return { ...known, outcome: 'fine', advice: null }
}

/** A table like those of the product: made, filled once though sent twice, changed, dropped. */
function tableFinding(run: Run, table: string): Promise<Finding> {
  const advice = 'Grant the user CREATE TABLE, DROP TABLE, INSERT, SELECT and ALTER on the database.'
  return checked({ store, what: 'tables', advice }, async () => {
    await run(
      `CREATE TABLE ${table} (id UInt64, at DateTime64(3, 'UTC'), PROJECTION by_id (SELECT id, at ORDER BY id))
       ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY at
       SETTINGS lightweight_mutation_projection_mode = 'rebuild', non_replicated_deduplication_window = 100,
         fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480`,
    )
    try {
      const insert = `INSERT INTO ${table} SELECT number, now64(3) FROM numbers(3)`
      const token = { insert_deduplication_token: 'one', insert_deduplicate: '1' }
      await run(insert, token)
      await run(insert, token)
      await run(`ALTER TABLE ${table} DELETE WHERE id = 0`, { mutations_sync: '2' })
      const left = await run(`SELECT count() FROM ${table}`)
      if (left !== '2') throw new Error(`a table has ${left} rows where 2 were expected`)
    } finally {
      await run(`DROP TABLE IF EXISTS ${table}`)
    }
    return 'can be made, filled once, changed and dropped'
  })
}
