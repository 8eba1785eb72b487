import { significantWords } from '../store/sql-words.ts'
import { type ClickHouseHttp, type ClickHouseHttpOptions, startClickHouseHttp } from './clickhouse-http.ts'

/** A statement of a cluster as one of a single server: the reverse of `onCluster`, written by hand. */
export function onOneServer(sql: string): string {
  return sql
    .replace(/ ON CLUSTER (?:`[\w-]+`|[\w-]+)/, '')
    .replace(/\bReplicated(\w*MergeTree)\b/, '$1')
    .replace(
      /,? ?\breplicated_deduplication_window = 0,\s+replicated_deduplication_window_seconds = \d+(,?)/,
      '$1',
    )
    .replace(
      /\breplicated_deduplication_window = (\d+),\s+replicated_deduplication_window_seconds = \d+/,
      'non_replicated_deduplication_window = $1',
    )
    .replace(/\bSETTINGS\s*(,|$)/, (_, comma) => (comma === ',' ? 'SETTINGS' : ''))
    .replace(/^(DROP TABLE .*) SYNC$/s, '$1')
}

export type ClusterHttp = ClickHouseHttp & {
  /** Every statement, as it was sent. */
  statements: string[]
  /** Answers this instead of a wait for the replica. */
  failSync: (code: number | null) => void
}

type ClusterOptions = Pick<ClickHouseHttpOptions, 'path' | 'kind'> & { name: string; shards?: number }

const macros = "SELECT 'replica' AS macro, 'r1' AS substitution UNION ALL SELECT 'shard', '1'"
const tables = `SELECT * REPLACE (if(endsWith(engine, 'MergeTree'), concat('Replicated', engine), engine) AS engine)
  FROM system.tables`

/**
 * One engine that speaks as the only reachable replica of a cluster: it knows a cluster by this name, and refuses what
 * a cluster would do wrong silently: tables made or changed on one replica only, inserts without a quorum.
 */
export async function startClickHouseCluster(options: ClusterOptions) {
  const statements: string[] = []
  let syncCode: number | null = null
  const clusters = Array.from({ length: options.shards ?? 1 }, (_, shard) => [1, 2, 3].map(() => shard + 1))
    .flat()
    .map((shard) => `SELECT '${options.name}' AS cluster, ${shard} AS shard_num`)
    .join(' UNION ALL ')
  const translate = (sql: string, settings: Readonly<Record<string, string>>): string => {
    statements.push(sql)
    if (/^SYSTEM SYNC REPLICA /.test(sql)) {
      if (syncCode !== null) throw new Error(`Code: ${syncCode}. DB::Exception: the test says so. (TEST)`)
      return 'SELECT 1'
    }
    requireReplicated(sql, settings)
    return onOneServer(sql)
      .replace(/\bclusterAllReplicas\('[\w-]+', (system\.\w+)\)/, '$1')
      .replace(/\bsystem\.clusters\b/, `(${clusters})`)
      .replace(/\bsystem\.tables\b/, `(${tables})`)
      .replace(/\bsystem\.macros\b/, `(${macros})`)
      .replace(/\bsystem\.zookeeper\b/, "(SELECT '' AS path, '' AS name WHERE 0)")
  }
  const server = await startClickHouseHttp({ path: options.path, kind: options.kind, translate })
  return {
    ...server,
    statements,
    failSync: (code: number | null) => {
      syncCode = code
    },
  } satisfies ClusterHttp
}

function requireReplicated(sql: string, settings: Readonly<Record<string, string>>): void {
  const words = significantWords(sql).map(({ text }) => text)
  const [verb = ''] = words
  if (words.some((word) => word.startsWith('staging_')) && verb !== 'insert') return
  const isOn = / ON CLUSTER /.test(sql)
  const changesRows = verb === 'alter' && /\b(?:DELETE|UPDATE|DROP PARTITION)\b/.test(sql)
  if (['create', 'alter', 'drop', 'truncate', 'kill'].includes(verb) && isOn === changesRows)
    throw new Error(`Code: 36. DB::Exception: not for a cluster: ${sql.slice(0, 80)}. (BAD_ARGUMENTS)`)
  if (/^CREATE TABLE/.test(sql) && !/\bENGINE = Replicated/.test(sql))
    throw new Error(`Code: 36. DB::Exception: not replicated: ${sql.slice(0, 80)}. (BAD_ARGUMENTS)`)
  if (
    changesRows &&
    /\b(?:DELETE|UPDATE)\b/.test(sql) &&
    !(settings.mutations_sync === '2' || sql.includes('mutations_sync = 2'))
  )
    throw new Error(`Code: 36. DB::Exception: does not wait: ${sql.slice(0, 80)}. (BAD_ARGUMENTS)`)
  if (verb === 'insert' && settings.insert_quorum !== 'auto')
    throw new Error('Code: 36. DB::Exception: no quorum. (BAD_ARGUMENTS)')
}
