import { checked, type Finding, type Run } from './check-result.ts'

const store = 'ClickHouse'
/** With three, one may be away: a majority confirms every insert. */
const replicasMin = 3

/** What the product takes as ASSAY_CLICKHOUSE_CLUSTER. */
export const clusterNamePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** Whether tables can be replicated on this cluster, in the order in which one needs the other. */
export async function clusterFindings(run: Run, name: string, table: string): Promise<Finding[]> {
  const known = await knownFinding(run, name)
  if (known.outcome === 'fail') return [known]
  const all = (columns: string, system: string) =>
    `SELECT ${columns} FROM clusterAllReplicas('${name}', ${system})`
  return [
    known,
    await checked(
      {
        store,
        what: 'Keeper',
        advice:
          'Start ClickHouse Keeper (or ZooKeeper), three of them, and name them in the section zookeeper of every server.',
      },
      async () => {
        await run("SELECT count() FROM system.zookeeper WHERE path = '/'")
        return 'answers'
      },
    ),
    await checked(
      {
        store,
        what: 'macros',
        advice: 'Set macros with shard and replica on every server, replica different on each.',
      },
      async () => {
        const [shards, replicas, hosts] = (
          await run(
            `SELECT countIf(macro = 'shard'), uniqExactIf(substitution, macro = 'replica'), uniqExact(host)
             FROM (${all('hostName() AS host, macro, substitution', 'system.macros')})`,
          )
        ).split('\t')
        if (shards === '0' || replicas !== hosts)
          throw new Error(`${replicas} names of replicas on ${hosts} servers`)
        return `${replicas} replicas with names of their own`
      },
    ),
    await checked(
      {
        store,
        what: 'versions',
        advice: 'Run the same version on every replica, and start those that are away.',
      },
      async () => {
        const versions = await run(
          `SELECT DISTINCT v FROM (${all('version() AS v', 'system.one')}) ORDER BY v`,
        )
        if (versions.includes('\n')) throw new Error(versions.replaceAll('\n', ', '))
        return versions
      },
    ),
    await replicatedTableFinding(run, name, table),
  ]
}

async function knownFinding(run: Run, name: string): Promise<Finding> {
  const known = { store, what: 'cluster' } as const
  const finding = await checked(
    {
      ...known,
      advice:
        'Name a cluster of one shard that `SELECT cluster FROM system.clusters` lists, or add it to remote_servers of every server.',
    },
    async () => {
      const [replicas = '0', shards] = (
        await run(`SELECT count(), uniqExact(shard_num) FROM system.clusters WHERE cluster = '${name}'`)
      ).split('\t')
      if (replicas === '0') throw new Error(`no cluster is named ${name}`)
      if (shards !== '1') throw new Error(`${shards} shards`)
      return `one shard, ${replicas} replicas`
    },
  )
  const isFew = finding.outcome === 'fine' && Number(/(\d+) replicas/.exec(finding.found)?.[1]) < replicasMin
  if (!isFew) return finding
  return {
    ...finding,
    outcome: 'warn',
    advice: `With ${replicasMin} replicas one may be away; with fewer, events wait in the log for it.`,
  }
}

/** A table like those of the product on a cluster: made everywhere, filled once though sent twice, changed, dropped. */
function replicatedTableFinding(run: Run, name: string, table: string): Promise<Finding> {
  const advice =
    'Grant the user CLUSTER, CREATE TABLE, DROP TABLE, INSERT, SELECT, ALTER and SYSTEM SYNC REPLICA; every replica must be up, with this database.'
  const on = `ON CLUSTER \`${name}\``
  return checked({ store, what: 'tables', advice }, async () => {
    await run(
      `CREATE TABLE ${table} ${on} (id UInt64) ENGINE = ReplicatedMergeTree ORDER BY id
       SETTINGS replicated_deduplication_window = 100, replicated_deduplication_window_seconds = 604800`,
    )
    try {
      const insert = `INSERT INTO ${table} SELECT number FROM numbers(3)`
      const once = { insert_deduplication_token: 'one', insert_deduplicate: '1', insert_quorum: 'auto' }
      await run(insert, once)
      await run(insert, once)
      await run(`SYSTEM SYNC REPLICA ${on} ${table} LIGHTWEIGHT`)
      await run(`ALTER TABLE ${table} DELETE WHERE id = 0`, { mutations_sync: '2' })
      const left = await run(`SELECT count() FROM ${table}`)
      if (left !== '2') throw new Error(`a table has ${left} rows where 2 were expected`)
    } finally {
      await run(`DROP TABLE IF EXISTS ${table} ${on} SYNC`)
    }
    return 'can be made on every replica, filled once, changed and dropped'
  })
}
