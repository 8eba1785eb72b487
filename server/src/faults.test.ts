import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@clickhouse/client'
import { afterEach, describe, expect, test } from 'vitest'
import { type ChildProduct, failedStart, freePort, startChild } from './testing/child-product.ts'
import { startClickHouseHttp } from './testing/clickhouse-http.ts'
import { sharedStores, untilTrue } from './testing/harness.ts'

const directories: string[] = []
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'assay-faults-'))
  directories.push(directory)
  return directory
}

/** What a sender knows: the ids that were acknowledged, and those whose answer never came. */
class Sender {
  readonly acknowledged = new Set<string>()
  #next = 0

  async keepSending(product: ChildProduct, until: () => boolean): Promise<void> {
    await Promise.all([
      this.#lane(product, until, 40),
      this.#lane(product, until, 7),
      this.#lane(product, until, 1),
    ])
  }

  async #lane(product: ChildProduct, until: () => boolean, size: number): Promise<void> {
    while (!until()) {
      const events = Array.from({ length: size }, () => ({
        event: '$login',
        event_id: `e${this.#next++}`,
        user_id: `u${this.#next % 50}`,
        ts: new Date().toISOString(),
        properties: { method: 'password' },
      }))
      const answer = await post(product, '/v1/batch', { batch: events }).catch(() => null)
      if (answer?.status !== 200) continue
      for (const event of events) this.acknowledged.add(event.event_id)
    }
  }
}

function post(product: ChildProduct, path: string, body: object): Promise<Response> {
  return fetch(`${product.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${product.keys.secretKey}` },
    body: JSON.stringify(body),
  })
}

async function stored(clickhouseUrl: string, workspaceId: string): Promise<string[]> {
  const client = createClient({ url: clickhouseUrl })
  const result = await client.query({
    query: 'SELECT event_id FROM events WHERE workspace_id = {workspaceId:String}',
    query_params: { workspaceId },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ event_id: string }>()
  await client.close()
  return rows.map((row) => row.event_id)
}

async function logIsLoaded(product: ChildProduct): Promise<boolean> {
  const metrics = await (await fetch(`${product.url}/metrics`)).text()
  return /^assay_log_pending_events 0$/m.test(metrics)
}

function expectEachOnce(ids: readonly string[], acknowledged: ReadonlySet<string>): void {
  const found = new Set(ids)
  expect(ids.length, 'stored twice').toBe(found.size)
  expect(
    [...acknowledged].filter((id) => !found.has(id)),
    'acknowledged and lost',
  ).toEqual([])
}

/**
 * Together with the log's own 25 kills and those of the engine, which take far less time each, a run of the tests
 * kills more than forty times.
 */
const limits = { ASSAY_INGEST_EVENTS_PER_SECOND: '1000000', ASSAY_SEGMENT_AGE_MS_MAX: '100' }

describe('a process that is killed', () => {
  test('8 times under load has every acknowledged event once', async () => {
    const { clickhouseUrl } = await sharedStores()
    const env = { ...limits, ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_CLICKHOUSE_URL: clickhouseUrl }
    const sender = new Sender()
    for (let round = 0; round < 8; round++) {
      const product = await startChild(env)
      await sendAndKill(product, sender, Math.random() * 400)
    }
    const product = await startChild(env)
    await untilTrue('the log to be loaded', () => logIsLoaded(product))
    expectEachOnce(await stored(clickhouseUrl, product.keys.workspaceId), sender.acknowledged)
    expect(sender.acknowledged.size).toBeGreaterThan(100)
    await product.kill()
  }, 400_000)

  test('while the events store refuses everything, and while it comes back, loses nothing', async () => {
    const clickhouse = await startClickHouseHttp({ path: temporaryDirectory() })
    const env = { ...limits, ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_CLICKHOUSE_URL: clickhouse.url }
    const sender = new Sender()
    for (let round = 0; round < 2; round++) {
      const product = await startChild(env)
      clickhouse.pause()
      await sendAndKill(product, sender, 300 + Math.random() * 300, () => round === 1 && clickhouse.resume())
      clickhouse.resume()
    }
    const product = await startChild(env)
    await untilTrue('the log to be loaded', () => logIsLoaded(product))
    expectEachOnce(await stored(clickhouse.url, product.keys.workspaceId), sender.acknowledged)
    expect(await product.terminate()).toBe(0)
    await clickhouse.close()
  }, 240_000)
})

async function sendAndKill(
  product: ChildProduct,
  sender: Sender,
  afterMs: number,
  midway: () => unknown = () => {},
): Promise<void> {
  let dead = false
  const sending = sender.keepSending(product, () => dead)
  const before = sender.acknowledged.size
  await untilTrue('something to be acknowledged', () => sender.acknowledged.size > before)
  await wait(afterMs / 2)
  midway()
  await wait(afterMs / 2)
  await product.kill()
  dead = true
  await sending
}

describe('embedded stores', () => {
  test('that are killed twice under load have every acknowledged event once, and the same id stays a duplicate', async () => {
    const env = { ...limits, ASSAY_DATA_DIR: temporaryDirectory() }
    const sender = new Sender()
    for (let round = 0; round < 4; round++)
      await sendAndKill(await startChild(env), sender, Math.random() * 1500)
    const product = await startChild(env)
    await untilTrue('the log to be loaded', () => logIsLoaded(product))
    const overview = await fetch(
      `${product.url}/api/analytics/overview?siteId=${product.keys.siteId}&window=2d`,
      {
        headers: { authorization: `Bearer ${product.keys.liveKey}` },
      },
    )
    const body = Object(await overview.json())
    // What was cut off before its answer may have been written; nothing that was answered may be missing.
    expect(body.metrics.events).toBeGreaterThanOrEqual(sender.acknowledged.size)
    const again = [...sender.acknowledged].map((event_id) => ({
      event: '$login',
      event_id,
      user_id: 'u1',
      properties: { method: 'x' },
    }))
    for (let at = 0; at < again.length; at += 1000) {
      const answer = await post(product, '/v1/batch', { batch: again.slice(at, at + 1000) })
      const { summary } = Object(await answer.json())
      expect(summary).toMatchObject({ duplicate: Math.min(1000, again.length - at), accept: 0 })
    }
    expect(await product.terminate()).toBe(0)
    expect(product.output()).toContain('SIGTERM')
  }, 300_000)
})

describe('a start that cannot succeed says what to do', () => {
  test('when the port is taken', async () => {
    const { clickhouseUrl } = await sharedStores()
    const env = { ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_CLICKHOUSE_URL: clickhouseUrl }
    const product = await startChild(env)
    const port = new URL(product.url).port
    const second = await failedStart({ ...env, ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_PORT: port })
    expect(second.code).toBe(1)
    expect(second.output).toContain('ASSAY_PORT')
    await product.kill()
  }, 120_000)

  test('when another process has the data directory', async () => {
    const env = { ASSAY_DATA_DIR: temporaryDirectory() }
    const product = await startChild(env)
    const second = await failedStart({ ...env, ASSAY_PORT: String(await freePort()) })
    expect(second.code).toBe(1)
    expect(second.output).toContain('ASSAY_DATA_DIR')
    await product.kill()
  }, 120_000)

  test.each([
    { env: { ASSAY_CLICKHOUSE_URL: 'localhost:8123' }, says: 'ASSAY_CLICKHOUSE_URL' },
    { env: { ASSAY_POSTGRES_URL: 'mysql://localhost/x' }, says: 'ASSAY_POSTGRES_URL' },
    { env: { ASSAY_PORT: 'eighty' }, says: 'ASSAY_PORT' },
    { env: { ASSAY_CLICKHOUSE_URL: 'http://127.0.0.1:1' }, says: 'cannot be reached' },
  ])(
    'with $env',
    async ({ env, says }) => {
      const { code, output } = await failedStart({ ASSAY_DATA_DIR: temporaryDirectory(), ...env })
      expect(code).toBe(1)
      expect(output).toContain(says)
    },
    60_000,
  )
})
