import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { freePort } from '../testing/free-port.ts'
import { type Database, makeDatabase, sharedStores, untilTrue } from '../testing/harness.ts'
import { startProduct } from './app.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-readiness-'))
let database: Database
let holder: pg.Client
/** What a transaction has seen of others stays as it was. */
let watcher: pg.Client
beforeAll(async () => {
  database = await makeDatabase()
  holder = new pg.Client(database.url)
  watcher = new pg.Client(database.url)
  await Promise.all([holder.connect(), watcher.connect()])
})
afterAll(async () => {
  await Promise.all([holder?.end(), watcher?.end()])
  await database?.drop()
  rmSync(directory, { recursive: true, force: true })
})

/** The product on a port that is known before it starts; what continues earlier work has to wait for a table. */
async function startHeld(port: number) {
  const { clickhouseUrl } = await sharedStores()
  return startProduct(
    {
      ...readConfig({ ASSAY_PORT: String(port), ASSAY_DATA_DIR: directory }),
      clickhouseUrl,
      postgresUrl: database.url,
    },
    {
      onOpened: async () => {
        await holder.query('BEGIN')
        await holder.query('LOCK TABLE workspace_imports IN ACCESS EXCLUSIVE MODE')
      },
    },
  )
}

/** The first start migrates the stores. */
const startMsMax = 100_000

async function untilItWaits(starting: Promise<unknown>): Promise<void> {
  let failed: unknown
  starting.catch((cause: unknown) => {
    failed = cause
  })
  await untilTrue(
    'the start to wait',
    () => {
      if (failed !== undefined) throw failed
      return isWaiting()
    },
    startMsMax,
  )
}

const waiting =
  "datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%workspace_imports%'"
async function isWaiting(): Promise<boolean> {
  const { rows } = await watcher.query(`SELECT pid FROM pg_stat_activity WHERE ${waiting}`)
  return rows.length > 0
}

/** Null where the port does not answer. */
const readyAt = (port: number) =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status,
    () => null,
  )

test('a node is ready once nothing of its start can fail any more', async () => {
  const port = await freePort()
  const starting = startHeld(port)
  await untilItWaits(starting)
  expect(await readyAt(port)).toBe(null)
  await holder.query('COMMIT')
  const product = await starting
  expect(await readyAt(port)).toBe(200)
  await product.close()
}, 200_000)

test('a start that fails when everything is open was never ready', async () => {
  const port = await freePort()
  const starting = startHeld(port)
  await untilItWaits(starting)
  expect(await readyAt(port)).toBe(null)
  await watcher.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${waiting}`)
  await expect(starting).rejects.toThrow('the control store cannot be reached')
  await holder.query('ROLLBACK')
  expect(await readyAt(port)).toBe(null)
}, 200_000)
