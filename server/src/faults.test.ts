import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@clickhouse/client'
import { afterEach, describe, expect, test } from 'vitest'
import { startChild } from './testing/child-product.ts'
import { startClickHouseHttp } from './testing/clickhouse-http.ts'
import { sharedStores, untilTrue } from './testing/harness.ts'
import { killable, logIsLoaded, Sender, sendAndKill } from './testing/sender.ts'

const directories: string[] = []
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'assay-faults-'))
  directories.push(directory)
  return directory
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
 * kills more than thirty times.
 */
describe('a process that is killed', () => {
  test('twice under load has every acknowledged event once', async () => {
    const { clickhouseUrl } = await sharedStores()
    const env = { ...killable, ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_CLICKHOUSE_URL: clickhouseUrl }
    const sender = new Sender()
    for (let round = 0; round < 2; round++) {
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
    const env = { ...killable, ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_CLICKHOUSE_URL: clickhouse.url }
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
