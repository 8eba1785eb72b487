import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@clickhouse/client'
import { afterEach, describe, expect, test } from 'vitest'
import { startChild } from './testing/child-product.ts'
import { startClickHouseHttp } from './testing/clickhouse-http.ts'
import { makeDatabase, untilTrue } from './testing/harness.ts'
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
 * kills some thirty times.
 */
describe('a process that is killed under load', () => {
  test('while the events store is well, refuses everything or comes back has every acknowledged event once', async () => {
    const clickhouse = await startClickHouseHttp({ path: temporaryDirectory() })
    const control = await makeDatabase()
    const stores = { ASSAY_CLICKHOUSE_URL: clickhouse.url, ASSAY_POSTGRES_URL: control.url }
    const env = { ...killable, ...stores, ASSAY_DATA_DIR: temporaryDirectory() }
    const sender = new Sender()
    const rounds = [
      { isPaused: false, isBack: false },
      { isPaused: true, isBack: false },
      { isPaused: true, isBack: true },
    ]
    for (const { isPaused, isBack } of rounds) {
      const product = await startChild(env)
      if (isPaused) clickhouse.pause()
      await sendAndKill(product, sender, 100 + Math.random() * 400, () => isBack && clickhouse.resume())
      clickhouse.resume()
    }
    const product = await startChild(env)
    await untilTrue('the log to be loaded', () => logIsLoaded(product))
    expectEachOnce(await stored(clickhouse.url, product.keys.workspaceId), sender.acknowledged)
    expect(sender.acknowledged.size).toBeGreaterThan(100)
    expect(await product.terminate()).toBe(0)
    await clickhouse.close()
    await control.drop()
  }, 400_000)
})
