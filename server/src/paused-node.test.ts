import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { batch, getOverview } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChildProduct, startChild } from './testing/child-product.ts'
import { caller, type Database, makeDatabase, sharedStores, untilTrue } from './testing/harness.ts'
import { type NatsServers, startNats } from './testing/nats-server.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-paused-'))
let database: Database
let nats: NatsServers
const nodes: ChildProduct[] = []

beforeAll(async () => {
  const { clickhouseUrl } = await sharedStores()
  ;[database, nats] = await Promise.all([makeDatabase(), startNats(1)])
  const env = {
    ASSAY_POSTGRES_URL: database.url,
    ASSAY_CLICKHOUSE_URL: clickhouseUrl,
    ASSAY_LOG_URL: nats.url,
    ASSAY_LOG_PARTITIONS: '2',
  }
  for (const index of [0, 1]) {
    const dataDir = join(directory, String(index))
    mkdirSync(dataDir, { mode: 0o700 })
    if (index > 0) copyFileSync(join(directory, '0/first-run.json'), join(dataDir, 'first-run.json'))
    nodes.push(await startChild({ ...env, ASSAY_DATA_DIR: dataDir }))
  }
}, 400_000)
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.kill()))
  await nats?.close()
  await database?.drop()
  rmSync(directory, { recursive: true, force: true })
})

test('a node that is paused for longer than its leases loses nothing and stores nothing twice', async () => {
  const [paused, other] = nodes
  if (paused === undefined || other === undefined) throw new Error('there are two nodes')
  const eventsOf = (round: string) =>
    Array.from({ length: 200 }, (_, at) => ({
      event: '$login',
      event_id: `${round}-${at}`,
      user_id: `u-${at}`,
      properties: { method: 'mail' },
    }))
  const send = async (node: ChildProduct, round: string) => {
    const { status } = await caller(node.url, node.keys.secretKey)(batch, {
      body: { batch: eventsOf(round) },
    })
    expect(status).toBe(200)
  }
  const countAt = async (node: ChildProduct) => {
    const query = { siteId: node.keys.siteId, window: '7d' as const }
    const headers = { prefer: 'wait=30' }
    return (await caller(node.url, node.keys.liveKey)(getOverview, { query }, { headers })).body.metrics
      .events
  }
  await send(paused, 'a')
  // Its share of the log is being loaded.
  paused.pause()
  await send(other, 'b')
  await send(other, 'a')
  // The other node loads all of it only when the leases of the first are over.
  await untilTrue('the other node to take over', async () => (await countAt(other)) === 400, 90_000)
  paused.resume()
  await send(paused, 'c')
  await send(other, 'b')
  for (const node of [paused, other])
    await untilTrue('every event to be loaded', async () => (await countAt(node)) >= 600, 60_000)
  expect(await Promise.all([countAt(paused), countAt(other)])).toEqual([600, 600])
}, 300_000)
