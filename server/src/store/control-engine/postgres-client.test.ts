import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedPostgres, openEmbeddedPostgres } from './postgres-client.ts'
import { type CheckTimes, ControlStoreCrash } from './thread-exchange.ts'

const home = mkdtempSync(join(tmpdir(), 'assay-thread-'))
const directory = join(home, 'control')
afterAll(() => rmSync(home, { recursive: true, force: true }))

const crashes: ControlStoreCrash[] = []
const open = (times?: CheckTimes): Promise<EmbeddedPostgres> => {
  crashes.length = 0
  return openEmbeddedPostgres({ directory, onCrash: (crash) => void crashes.push(crash), times })
}

/** Postgres is asked for a program, which WebAssembly has not: PGlite's own answer breaks it. */
const breakIt = "COPY (SELECT 1) TO PROGRAM 'true'"

beforeAll(async () => {
  const postgres = await open()
  await postgres.script('CREATE TABLE steps (n int)')
  await postgres.close()
})

test('statements from outside wait until a transaction has ended, in the order of their calls', async () => {
  const postgres = await open()
  const order: string[] = []
  const noting = async (name: string, run: Promise<unknown>) => {
    await run
    order.push(name)
  }
  let [outside, later]: Promise<unknown>[] = []
  await postgres.transaction(async (query) => {
    outside = noting('outside', postgres.query('INSERT INTO steps SELECT count(*) FROM steps'))
    later = noting(
      'later transaction',
      postgres.transaction((inner) => inner('SELECT 1')),
    )
    for (let step = 0; step < 5; step += 1) await noting('inside', query('INSERT INTO steps VALUES (-1)'))
  })
  await Promise.all([outside, later])
  expect(order).toEqual([...Array(5).fill('inside'), 'outside', 'later transaction'])
  expect(await postgres.query('SELECT n FROM steps WHERE n >= 0')).toEqual([{ n: 5 }])
  await postgres.close()
})

test('a transaction that has ended takes no more statements', async () => {
  const postgres = await open()
  const kept = await postgres.transaction(async (query) => query)
  await expect(kept('SELECT 1')).rejects.toThrow('Transaction is closed')
  await postgres.close()
})

test('a close waits for what was sent before, and lets nothing in after it', async () => {
  const postgres = await open()
  const slow = postgres.query('SELECT count(*)::int AS n FROM generate_series(1, 100000)')
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const under = postgres.transaction(async (query) => {
    await mayEnd
    return query('SELECT 2 AS two')
  })
  const closing = postgres.close()
  await expect(postgres.query('SELECT 1')).rejects.toThrow('closed')
  end()
  expect([await slow, await under]).toEqual([[{ n: 100_000 }], [{ two: 2 }]])
  await closing
  await postgres.close()
  expect(crashes).toEqual([])
})

test('a Postgres that breaks fails all who wait and all who come, says so once, and can be closed', async () => {
  const postgres = await open()
  await postgres.query('INSERT INTO steps VALUES (100)')
  const waiting = [postgres.query(breakIt), postgres.query('SELECT 1'), postgres.transaction(async () => {})]
  for (const { status, ...rest } of await Promise.allSettled(waiting)) {
    expect(status).toBe('rejected')
    expect(Object(rest).reason).toBeInstanceOf(ControlStoreCrash)
  }
  await expect(postgres.query('SELECT 1')).rejects.toThrow(ControlStoreCrash)
  await expect(postgres.transaction(async () => {})).rejects.toThrow(ControlStoreCrash)
  expect(crashes).toHaveLength(1)
  expect(String(crashes[0])).toContain('The control store crashed')
  await expect(postgres.close()).rejects.toThrow(ControlStoreCrash)

  const again = await open()
  expect(await again.query('SELECT n FROM steps WHERE n = 100')).toEqual([{ n: 100 }])
  await again.close()
})

test('a thread that is stuck counts as crashed', async () => {
  const postgres = await open({ checkMs: 20, silentChecksMax: 50 })
  await expect(postgres.query('SELECT pg_sleep(3600)')).rejects.toThrow('no longer answers')
  expect(crashes).toHaveLength(1)
  await expect(postgres.close()).rejects.toThrow(ControlStoreCrash)
})

test('a transaction whose work takes long is no stuck thread', async () => {
  const postgres = await open({ checkMs: 20, silentChecksMax: 50 })
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const held = postgres.transaction(() => mayEnd)
  const waiting = postgres.query('SELECT 1 AS one')
  setTimeout(end, 1_500)
  await held
  expect(await waiting).toEqual([{ one: 1 }])
  await postgres.close()
})

test('a directory that cannot be opened is refused, and leaves no thread behind', async () => {
  const refused = openEmbeddedPostgres({ directory: '/dev/null/control', onCrash: () => {} })
  await expect(refused).rejects.toThrow(/ENOTDIR|not a directory/i)
})
