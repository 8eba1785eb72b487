import { getOverview, listSites } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreUnreachable } from '../../platform/store-failure.ts'
import { type CutProxy, startCutProxy } from '../../testing/cut-proxy.ts'
import { type Database, makeDatabase, startWorld, untilTrue } from '../../testing/harness.ts'
import { type Control, openControl } from '../control.ts'

const databases: Database[] = []
let proxy: CutProxy
let control: Control
const bounds = { connectMs: 300, statementMs: 400, lockMs: 200 }

async function behindProxy(content: 'migrated' | 'empty'): Promise<string> {
  const database = await makeDatabase(content)
  databases.push(database)
  const url = new URL(database.url)
  proxy ??= await startCutProxy(Number(url.port))
  url.port = String(proxy.port)
  return url.href
}

beforeAll(async () => {
  control = await openControl({ dataDir: '', url: await behindProxy('empty'), bounds })
  await control.script('CREATE TABLE things (id int PRIMARY KEY); INSERT INTO things VALUES (1)')
})
afterAll(async () => {
  proxy?.mend()
  await control?.close()
  await proxy?.close()
  for (const { drop } of databases) await drop()
})

async function failureOf(work: () => Promise<unknown>): Promise<{ failure: unknown; tookMs: number }> {
  const startedMs = performance.now()
  const failure = await work().then(
    () => null,
    (error: unknown) => error,
  )
  return { failure, tookMs: performance.now() - startedMs }
}

test('a statement, a lock and the wait for a connection end by their bound, and the next ones work', async () => {
  const slow = await failureOf(() => control.query('SELECT pg_sleep(30)'))
  expect(slow.failure).toBeInstanceOf(StoreUnreachable)
  expect(slow.tookMs).toBeLessThan(5_000)
  await control.transaction(async (sql) => {
    await sql.query('UPDATE things SET id = 1')
    const locked = await failureOf(() => control.query('UPDATE things SET id = 1'))
    expect(locked.failure).toBeInstanceOf(StoreUnreachable)
    const alone = await failureOf(() =>
      control.exclusively(77, () => control.exclusively(77, async () => {})),
    )
    expect(alone.failure).toBeInstanceOf(StoreUnreachable)
  })
  const held = Array.from({ length: 10 }, () =>
    control.transaction((sql) => sql.query('SELECT pg_sleep(0.35)')),
  )
  const one = await failureOf(() => control.query('SELECT 1'))
  expect(one.failure).toBeInstanceOf(StoreUnreachable)
  await Promise.all(held)
  expect(await control.query('SELECT id FROM things')).toEqual([{ id: 1 }])
})

test('migrations and jobs are given the time that they need', async () => {
  await control.script('SELECT pg_sleep(1)')
  expect(await control.unhurried(() => control.query('SELECT pg_sleep(1), 1 AS one'))).toMatchObject([
    { one: 1 },
  ])
})

test('a server that hangs fails what waits for it, in a transaction too, and is used again afterwards', async () => {
  await control.query('SELECT 1')
  proxy.hang()
  const [statement, transaction] = await Promise.all([
    failureOf(() => control.query('SELECT 1')),
    failureOf(() => control.transaction((sql) => sql.query('SELECT 1'))),
  ])
  proxy.mend()
  for (const { failure, tookMs } of [statement, transaction]) {
    expect(failure).toBeInstanceOf(StoreUnreachable)
    expect(tookMs).toBeLessThan(10_000)
  }
  await untilTrue('Postgres to answer again', () =>
    control.query('SELECT 1').then(
      () => true,
      () => false,
    ),
  )
})

test('a start waits longer than a request for a server that is slow to answer', async () => {
  const url = new URL(databases[0]?.url ?? '')
  url.port = String(proxy.port)
  proxy.hang()
  const opening = openControl({ dataDir: '', url: url.href, bounds })
  // A request gives up meanwhile.
  const { failure } = await failureOf(() => control.query('SELECT 1'))
  expect(failure).toBeInstanceOf(StoreUnreachable)
  proxy.mend()
  const opened = await opening
  expect(await opened.ping()).toBe(true)
  await opened.close()
})

test('a request to a product whose Postgres hangs is answered 503 unavailable', async () => {
  const world = await startWorld({ config: { postgresUrl: await behindProxy('migrated') } })
  const shop = await world.newWorkspace()
  await shop.call(listSites, { query: {} })
  proxy.hang()
  const startedMs = performance.now()
  const { status, problem } = await shop.call(getOverview, { query: { siteId: shop.siteId, window: '7d' } })
  const tookMs = performance.now() - startedMs
  proxy.mend()
  expect([status, problem.type.split('/').at(-1)]).toEqual([503, 'unavailable'])
  expect(tookMs).toBeLessThan(30_000)
  await world.close()
}, 120_000)
