import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { batch, getOverview } from '@assay/contract'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Config } from '../../config.ts'
import { type ChildProduct, failedStart, startChild } from '../../testing/child-product.ts'
import { freePort } from '../../testing/free-port.ts'
import { caller, type Database, makeDatabase, sharedStores, startWorld } from '../../testing/harness.ts'
import { type NatsServers, startNats } from '../../testing/nats-server.ts'

let nats: NatsServers
const directories: string[] = []
const databases: Database[] = []
beforeAll(async () => {
  nats = await startNats(1)
}, 240_000)
afterAll(async () => {
  await nats?.close()
  for (const { drop } of databases) await drop()
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'assay-log-home-'))
  directories.push(directory)
  return directory
}

async function newDatabase(): Promise<string> {
  const database = await makeDatabase()
  databases.push(database)
  return database.url
}

/** Starts that are refused, in this process. */
async function refusal(config: Partial<Config>): Promise<string> {
  const started = startWorld({ config }).then(
    async (world) => {
      await world.close()
      return 'it started'
    },
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  return started
}

describe('a node that would hold a log apart', () => {
  test('is refused while another one runs with files, whichever log it brings', async () => {
    const postgresUrl = await newDatabase()
    const first = await startWorld({ config: { postgresUrl } })
    expect(await refusal({ postgresUrl })).toContain('set ASSAY_LOG_URL on all of them')
    const replicatedLog = nats.settings({ name: 'second' })
    expect(await refusal({ postgresUrl, replicatedLog })).toContain('Stop it before')
    await first.close()
  }, 120_000)

  test('is refused where the streams are not as its settings say, or are not those that were loaded', async () => {
    const postgresUrl = await newDatabase()
    const replicatedLog = nats.settings({ name: 'drift', partitions: 2 })
    const first = await startWorld({ config: { postgresUrl, replicatedLog } })
    const shop = await first.newWorkspace()
    await shop.send([{ event: '$login', user_id: 'ada', properties: { method: 'mail' } }])
    expect(await refusal({ postgresUrl })).toContain('Set ASSAY_LOG_URL on this one too')
    expect(await refusal({ postgresUrl, replicatedLog: { ...replicatedLog, partitions: 3 } })).toContain(
      'ASSAY_LOG_PARTITIONS',
    )
    expect(await refusal({ postgresUrl, replicatedLog, logBytesMax: 5_000_000 })).toContain(
      'nats stream edit drift-log-0',
    )
    // Others may not write into the streams of this installation, nor read them.
    const foreign = await newDatabase()
    await first.product.deps.writer.withoutLoads(async () => {
      await shop.call(batch, {
        body: { batch: [{ event: '$login', user_id: 'bob', properties: { method: 'mail' } }] },
      })
      expect(await refusal({ postgresUrl: foreign, replicatedLog })).toContain('ASSAY_LOG_NAME')
    })
    await first.close()

    const connection = await connect({ servers: [...replicatedLog.servers] })
    const manager = await jetstreamManager(connection)
    for (const partition of [0, 1]) await manager.streams.delete(`drift-log-${partition}`)
    await connection.close()
    expect(await refusal({ postgresUrl, replicatedLog })).toContain('ASSAY_LOG_TAKE_OVER=true')
    expect(await refusal({ postgresUrl, replicatedLog, logTakeOver: true })).toBe('it started')
  }, 120_000)
})

const events = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    event: '$login',
    event_id: `moved-${from + at}`,
    user_id: `u-${from + at}`,
    properties: { method: 'mail' },
  }))

async function send({ url, keys }: ChildProduct, from: number, count: number): Promise<void> {
  const { status } = await caller(url, keys.secretKey)(batch, { body: { batch: events(from, count) } })
  expect(status).toBe(200)
}

async function counted({ url, keys }: ChildProduct): Promise<number> {
  const query = { siteId: keys.siteId, window: '7d' }
  const headers = { prefer: 'wait=30' }
  return (await caller(url, keys.liveKey)(getOverview, { query }, { headers })).body.metrics.events
}

test('the log moves from files to streams and back without losing or doubling an event', async () => {
  const { clickhouseUrl } = await sharedStores()
  const stores = {
    ASSAY_CLICKHOUSE_URL: clickhouseUrl,
    ASSAY_POSTGRES_URL: await newDatabase(),
    // Nothing is loaded before it is asked for, so that a kill leaves it in the log.
    ASSAY_SEGMENT_AGE_MS_MAX: '60000',
  }
  const streams = { ASSAY_LOG_URL: nats.url, ASSAY_LOG_NAME: 'moving', ASSAY_LOG_PARTITIONS: '2' }
  const [one, two] = [temporaryDirectory(), temporaryDirectory()]
  const inFiles = await startChild({ ...stores, ASSAY_DATA_DIR: one })
  await send(inFiles, 0, 30)
  await inFiles.kill()
  copyFileSync(join(one, 'first-run.json'), join(two, 'first-run.json'))

  // Another node cannot leave them behind.
  const elsewhere = { ...stores, ...streams, ASSAY_DATA_DIR: two, ASSAY_PORT: String(await freePort()) }
  const refused = await failedStart(elsewhere)
  // The node that was stopped may count as running for a moment more.
  const reason =
    /runs on this Postgres with its log in files|The log of this installation is in files of the node/
  expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(reason) })
  const inStreams = await startChild({ ...stores, ...streams, ASSAY_DATA_DIR: one })
  expect(await counted(inStreams)).toBe(30)
  await send(inStreams, 20, 30)
  await inStreams.kill()

  // The streams may hold events, so files are refused; a node that is stopped leaves none.
  const early = await failedStart({ ...stores, ASSAY_DATA_DIR: one, ASSAY_PORT: String(await freePort()) })
  expect(early).toMatchObject({ code: 1, output: expect.stringContaining('Start once with ASSAY_LOG_URL') })
  const again = await startChild({ ...stores, ...streams, ASSAY_DATA_DIR: one })
  expect(await again.terminate()).toBe(0)
  const back = await startChild({ ...stores, ASSAY_DATA_DIR: two })
  await send(back, 0, 50)
  expect(await counted(back)).toBe(50)
  await back.kill()
}, 240_000)
