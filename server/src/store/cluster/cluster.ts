import { StoreUnreachable } from '../../platform/store-failure.ts'

/** ClickHouse servers that each hold all events, by their name in `system.clusters`. */
export type Cluster = { readonly name: string; readonly replicas: number }

/** The cluster of the settings is not one that this product can use. */
export class ClusterRefused extends Error {
  override readonly name = 'ClusterRefused'
}

/** A name is written into statements; these need no quoting in any place. */
export const clusterNamePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

type Ask = <R extends Record<string, unknown>>(
  sql: string,
  params?: Readonly<Record<string, unknown>>,
) => Promise<R[]>

/** The cluster of this name as the server knows it, if tables may be made on it. */
export async function findCluster(ask: Ask, name: string): Promise<Cluster> {
  const rows = await ask<{ shard_num: string | number }>(
    'SELECT shard_num FROM system.clusters WHERE cluster = {name:String}',
    { name },
  )
  const known = `ASSAY_CLICKHOUSE_CLUSTER is "${name}"`
  if (rows.length === 0) {
    throw new ClusterRefused(
      `${known}, and ClickHouse knows no cluster of that name. Add it to remote_servers of every server, or set one that \`SELECT cluster FROM system.clusters\` lists.`,
    )
  }
  const shards = new Set(rows.map((row) => Number(row.shard_num))).size
  if (shards > 1) {
    throw new ClusterRefused(
      `${known}, which has ${shards} shards. Events are not divided: name a cluster with one shard whose replicas hold everything.`,
    )
  }
  const macros = await ask<{ macro: string }>("SELECT macro FROM system.macros WHERE macro = 'replica'")
  if (macros.length === 0) {
    throw new ClusterRefused(
      `${known}, and this server has no macro "replica", which is the name of a replica in Keeper. Set macros with shard and replica on every server.`,
    )
  }
  return { name, replicas: rows.length }
}

/** Tables of one server cannot become replicated, nor the other way, by another setting. */
export async function requireSameKind(ask: Ask, cluster: Cluster | null): Promise<void> {
  const [found] = await ask<{ replicated: string | number; single: string | number }>(
    `SELECT countIf(startsWith(engine, 'Replicated')) AS replicated,
            countIf(NOT startsWith(engine, 'Replicated')) AS single
     FROM system.tables
     WHERE database = currentDatabase() AND name IN ('migrations', 'events') AND endsWith(engine, 'MergeTree')`,
  )
  if (cluster === null && Number(found?.replicated ?? 0) > 0) {
    throw new ClusterRefused(
      'The tables of this ClickHouse are replicated. Set ASSAY_CLICKHOUSE_CLUSTER to the cluster on which they were made, on every node.',
    )
  }
  if (cluster !== null && Number(found?.single ?? 0) > 0) {
    throw new ClusterRefused(
      `The tables of this ClickHouse are those of a single server. Use an empty database on the cluster "${cluster.name}" and move the workspaces (docs/moving.md), or unset ASSAY_CLICKHOUSE_CLUSTER.`,
    )
  }
}

/**
 * A load that is repeated leaves out the rows that an earlier attempt stored. Rows that no majority confirmed may be on
 * a single replica: they are waited for, because the log deletes what is loaded. Keeper lists their parts.
 */
export async function requireConfirmed({
  cluster,
  query,
}: {
  cluster: Cluster | null
  query: Ask
}): Promise<void> {
  if (cluster === null) return
  const replicas = await query<{ zookeeper_path: string }>(
    'SELECT zookeeper_path FROM system.replicas WHERE database = currentDatabase()',
  )
  if (replicas.length === 0) return
  const parts = await query('SELECT name FROM system.zookeeper WHERE path IN {paths:Array(String)} LIMIT 1', {
    paths: replicas.map((row) => `${row.zookeeper_path}/quorum/parallel`),
  })
  if (parts.length > 0)
    throw new StoreUnreachable('a majority of replicas has not confirmed an earlier load yet')
}
