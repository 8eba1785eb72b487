import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failedStart, startChild } from '../testing/child-product.ts'
import { freePort } from '../testing/free-port.ts'
import { type Database, makeDatabase, sharedStores } from '../testing/harness.ts'

let database: Database
const directories: string[] = []
const temporaryDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), 'assay-home-'))
  directories.push(directory)
  return directory
}

beforeAll(async () => {
  database = await makeDatabase()
})
afterAll(async () => {
  await database?.drop()
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

test('of two nodes on one Postgres, one that brings another events store is refused', async () => {
  const url = { ASSAY_POSTGRES_URL: database.url }
  const first = { ...url, ASSAY_DATA_DIR: temporaryDirectory() }
  const node = await startChild(first)
  const second = { ...url, ASSAY_DATA_DIR: temporaryDirectory() }
  const refused = await failedStart({ ...second, ASSAY_PORT: String(await freePort()) })
  expect(refused.code).toBe(1)
  expect(refused.output).toContain('ASSAY_CLICKHOUSE_URL')
  const { clickhouseUrl } = await sharedStores()
  const withServer = { ...second, ASSAY_CLICKHOUSE_URL: clickhouseUrl }
  const mixed = await failedStart({ ...withServer, ASSAY_PORT: String(await freePort()) })
  expect(mixed.code).toBe(1)
  expect(mixed.output).toContain('ASSAY_EVENTS_TAKE_OVER')
  await node.kill()
  // Its own store it finds again; another one takes its place when the operator says so.
  await (await startChild(first)).kill()
  const file = 'first-run.json'
  cpSync(join(first.ASSAY_DATA_DIR, file), join(second.ASSAY_DATA_DIR, file))
  const heir = await startChild({ ...second, ASSAY_EVENTS_TAKE_OVER: 'true' })
  await heir.kill()
  expect((await failedStart({ ...first, ASSAY_PORT: String(await freePort()) })).code).toBe(1)
}, 600_000)
