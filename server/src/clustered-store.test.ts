import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getOverview, getSubjectRequest, requestForget } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError } from './platform/settings/environment.ts'
import { ClusterRefused } from './store/cluster/cluster.ts'
import { openEvents } from './store/events.ts'
import { migrateEvents } from './store/migrations/migrate.ts'
import { type ClusterHttp, startClickHouseCluster } from './testing/clickhouse-cluster.ts'
import { sharedStores, startWorld, untilTrue, type World } from './testing/harness.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-cluster-'))
let cluster: ClusterHttp
let world: World

beforeAll(async () => {
  cluster = await startClickHouseCluster({ path: join(directory, 'events'), name: 'assay' })
  world = await startWorld({
    config: { clickhouseUrl: cluster.url, clickhouseCluster: 'assay' },
  })
}, 240_000)
afterAll(async () => {
  await world?.close()
  await cluster?.close()
  rmSync(directory, { recursive: true, force: true })
})

const loginOf = (user_id: string) => ({ event: '$login', user_id, properties: { method: 'mail' } })

test('events are stored, read and forgotten by statements that every replica follows', async () => {
  const shop = await world.newWorkspace()
  await shop.send([loginOf('ada'), loginOf('ada'), loginOf('ben')])
  const query = { siteId: shop.siteId, window: '7d' as const }
  const before = await shop.call(getOverview, { query })
  expect(before.body.metrics).toMatchObject({ events: 3, visitors: 2 })
  const identifiers = [{ type: 'user_id' as const, value: 'ada' }]
  const { body: request } = await shop.call(requestForget, { body: { identifiers, regime: 'gdpr' } })
  await untilTrue(
    'the request to be completed',
    async () => {
      const { body } = await shop.call(getSubjectRequest, { params: { id: request.id } })
      if (body.status === 'failed') throw new Error(JSON.stringify(body))
      return body.status === 'completed'
    },
    120_000,
  )
  const after = await shop.call(getOverview, { query })
  expect(after.body.metrics.events).toBe(1)
  const { statements } = cluster
  // What replicas change rows by is on all of them before they begin.
  const list = statements.findIndex((sql) => /^SYSTEM SYNC REPLICA ON CLUSTER .* person_list_/.test(sql))
  const change = statements.findIndex((sql) => /^ALTER TABLE events (?:DELETE|UPDATE) /.test(sql))
  expect(list).toBeGreaterThan(0)
  expect(change).toBeGreaterThan(list)
  const staging = statements.filter((sql) => /^(?:CREATE|DROP|TRUNCATE) TABLE .*staging_/.test(sql))
  expect(staging.length).toBeGreaterThan(2)
  expect(staging.filter((sql) => sql.includes('ON CLUSTER'))).toEqual([])
  await requireParsed(statements)
}, 240_000)

/** All that was made, changed and dropped, as it was sent. */
async function requireParsed(statements: readonly string[]): Promise<void> {
  const { events } = world.product.deps
  const schema = new Set(
    statements.filter((sql) => /^(?:CREATE|ALTER|DROP|TRUNCATE|KILL|SYSTEM)\b/.test(sql)),
  )
  expect(schema.size).toBeGreaterThan(40)
  for (const sql of schema) {
    // Values of parameters are no part of the text.
    const text = sql.replaceAll(/\{\w+:[^}]+\}/g, "''")
    expect(await events.query('SELECT formatQuery({text:String}) AS text', { text })).toHaveLength(1)
  }
}

test('a replica that does not catch up is unavailable, and events wait in the log meanwhile', async () => {
  const shop = await world.newWorkspace()
  await shop.send([loginOf('cleo')])
  const query = { siteId: shop.siteId, window: '7d' as const }
  cluster.failSync(159)
  const { status, problem } = await shop.call(getOverview, { query })
  expect([status, problem.type.split('/').at(-1)]).toEqual([503, 'unavailable'])
  cluster.failSync(null)
  await shop.send([loginOf('dora')])
  expect((await shop.call(getOverview, { query })).body.metrics.events).toBe(2)
}, 120_000)

test('a second start changes no table, so that it succeeds while a replica is away', async () => {
  const from = cluster.statements.length
  const events = await openEvents({ dataDir: '', logDir: '', url: cluster.url, cluster: 'assay' })
  await migrateEvents(events)
  await events.close()
  expect(cluster.statements.slice(from).filter((sql) => / ON CLUSTER /.test(sql))).toEqual([])
})

test('a cluster that cannot be used is refused at start, with what to do', async () => {
  const stores = { dataDir: '', logDir: '' }
  const { clickhouseUrl } = await sharedStores()
  await expect(openEvents({ ...stores, url: clickhouseUrl, cluster: 'assay' })).rejects.toThrow(
    ClusterRefused,
  )
  await expect(openEvents({ ...stores, url: cluster.url, cluster: 'other' })).rejects.toThrow(
    'remote_servers',
  )
})

test('a cluster of several shards is refused', async () => {
  const path = join(directory, 'shards')
  // A process has one directory of the native engine, which is that of the cluster above.
  const sharded = await startClickHouseCluster({ path, name: 'assay', shards: 2, kind: 'portable' })
  const opened = openEvents({ dataDir: '', logDir: '', url: sharded.url, cluster: 'assay' })
  await expect(opened).rejects.toThrow('2 shards')
  await sharded.close()
}, 120_000)

test.each([
  [{ ASSAY_CLICKHOUSE_CLUSTER: 'assay' }, 'the events store is embedded'],
  [{ ASSAY_CLICKHOUSE_CLUSTER: "a' --", ASSAY_CLICKHOUSE_URL: 'http://a' }, 'letters, digits'],
  [{ ASSAY_CLICKHOUSE_CLUSTER: '{cluster}', ASSAY_CLICKHOUSE_URL: 'http://a' }, 'letters, digits'],
  [{ ASSAY_CLICKHOUSE_CLUSTER: 'a'.repeat(65), ASSAY_CLICKHOUSE_URL: 'http://a' }, 'up to 64'],
])('%j is refused', (env, says) => {
  expect(() => readConfig(env)).toThrow(ConfigError)
  expect(() => readConfig(env)).toThrow(says)
})
