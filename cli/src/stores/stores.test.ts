import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startClickHouseCluster } from '../../../server/src/testing/clickhouse-cluster.ts'
import { type ClickHouseHttp, startClickHouseHttp } from '../../../server/src/testing/clickhouse-http.ts'
import { type PostgresServer, startPostgres } from '../../../server/src/testing/postgres-server.ts'
import { openShell, type Shell } from '../testing/shell.ts'
import { clockFinding, type Finding } from './check-result.ts'
import { versionFinding } from './clickhouse-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-stores-'))
let postgres: PostgresServer
let clickhouse: ClickHouseHttp
let shell: Shell

beforeAll(async () => {
  shell = openShell()
  const options = { path: join(folder, 'events'), password: 'right' }
  ;[postgres, clickhouse] = await Promise.all([startPostgres(), startClickHouseHttp(options)])
}, 120_000)
afterAll(async () => {
  shell?.remove()
  await clickhouse?.close()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

type Report = { isFine: boolean; findings: Finding[] }

async function check(...args: string[]): Promise<{ exitCode: number; failed: string[]; report: Report }> {
  const { exitCode, json } = await shell.assay(['stores', 'check', '--json', ...args])
  // boundary: the data of the command's outcome.
  const report = json() as Report
  const failed = report.findings.filter(({ outcome }) => outcome === 'fail')
  expect(failed.every(({ advice }) => advice !== null)).toBe(true)
  return { exitCode, failed: failed.map(({ store, what }) => `${store} ${what}`), report }
}

const withPassword = (password: string) => clickhouse.url.replace('//', `//assay:${password}@`)

async function execute(url: string, ...statements: string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  await client.end()
  return rows.map(({ tablename }) => tablename)
}

test('servers that fit are said to, and nothing is left in them', async () => {
  const url = await postgres.url('fitting')
  const { exitCode, failed, report } = await check('--postgres', url, '--clickhouse', withPassword('right'))
  expect([exitCode, failed]).toEqual([0, []])
  expect(report.findings.map(({ store, what }) => `${store} ${what}`)).toEqual(
    expect.arrayContaining(['Postgres sessions', 'Postgres clock', 'ClickHouse tables', 'ClickHouse clock']),
  )
  expect(await execute(url)).toEqual([])
  const answer = await fetch(withPassword('right').replace('assay:right@', ''), {
    method: 'POST',
    headers: { 'x-clickhouse-user': 'assay', 'x-clickhouse-key': 'right' },
    body: "SELECT count() FROM system.tables WHERE name LIKE 'assay_stores_check%'",
  })
  expect((await answer.text()).trim()).toBe('0')
})

test('a user without rights and a database of another encoding are found', async () => {
  const url = await postgres.url('narrow')
  await execute(url, 'CREATE ROLE reader LOGIN', 'REVOKE CREATE ON SCHEMA public FROM PUBLIC')
  expect((await check('--postgres', url.replace('assay@', 'reader@'))).failed).toEqual(['Postgres rights'])
  const latin = "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
  await execute(url, latin)
  const { exitCode, failed } = await check('--postgres', url.replace(/narrow$/, 'latin'))
  expect([exitCode, failed]).toEqual([1, ['Postgres encoding']])
})

test('a cluster that fits is said to, and one that does not has advice', async () => {
  const path = join(folder, 'cluster')
  // A process has one directory of the native engine, which is that of the server above.
  const cluster = await startClickHouseCluster({ path, name: 'fitting', kind: 'portable' })
  const of = (name: string) => check('--clickhouse', cluster.url, '--cluster', name)
  const { exitCode, failed, report } = await of('fitting')
  expect([exitCode, failed]).toEqual([0, []])
  expect(report.findings.map(({ what, found }) => `${what}: ${found}`)).toEqual(
    expect.arrayContaining(['cluster: one shard, 3 replicas', 'Keeper: answers']),
  )
  expect(cluster.statements.filter((sql) => sql.includes('assay_stores_check')).at(-1)).toMatch(
    /^DROP TABLE .* SYNC$/,
  )
  expect((await of('other')).failed).toEqual(['ClickHouse cluster'])
  await cluster.close()
  // One server that knows no cluster, no Keeper and no macros.
  expect((await check('--clickhouse', withPassword('right'), '--cluster', 'any')).failed).toEqual([
    'ClickHouse cluster',
  ])
}, 120_000)

test('a server that is away, and a wrong password, are failures of the connection', async () => {
  const nowhere = ['--postgres', 'postgres://assay@127.0.0.1:1/x', '--clickhouse', 'http://127.0.0.1:1']
  expect((await check(...nowhere)).failed).toEqual(['Postgres connection', 'ClickHouse connection'])
  expect((await check('--clickhouse', withPassword('wrong'))).failed).toEqual(['ClickHouse connection'])
})

test('a clock that is off, or that says nothing, is a failure', async () => {
  const outcomeOf = async (read: string) =>
    (
      await clockFinding(
        'Postgres',
        () => 1_000_000,
        async () => read,
      )
    ).outcome
  expect(await outcomeOf('1004999')).toBe('fine')
  for (const read of ['1005001', '994999', '', 'soon', 'undefined'])
    expect(await outcomeOf(read)).toBe('fail')
})

test.each([
  ['24.7.9.1', 'fail'],
  ['24.8.1.1', 'warn'],
  ['26.4.9.9', 'warn'],
  ['26.5.1.1', 'fine'],
  ['27.1.0.0', 'fine'],
  ['Not enough privileges', 'fail'],
])('of ClickHouse %s it says %s', async (version, outcome) => {
  expect(await versionFinding(async () => version)).toMatchObject({ found: version, outcome })
})

test.each([
  [],
  ['check'],
  ['repair'],
  ['check', '--clickhouse', 'ftp://store'],
  ['check', '--postgres', 'secret'],
  ['check', '--clickhouse', 'http://127.0.0.1:1', '--cluster', "secret'"],
])('refuses %j without repeating an address', async (...args) => {
  const { exitCode, err } = await shell.assay(['stores', ...args])
  expect(exitCode).toBe(2)
  expect(err).not.toContain('secret')
})
