import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Product, startProduct } from '../app/app.ts'
import { readConfig } from '../config.ts'
import { sharedStores, untilTrue } from '../testing/harness.ts'
import { startNats } from '../testing/nats-server.ts'
import { type PostgresServer, startPostgres } from '../testing/postgres-server.ts'
import { type Control, openControl } from './control.ts'
import { readMigrations } from './migrations/migration-files.ts'

let postgres: PostgresServer
const directories: string[] = []

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'assay-control-'))
  directories.push(directory)
  return directory
}

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres?.stop()
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

const modes = [
  { mode: 'embedded', open: () => openControl({ dataDir: temporaryDirectory() }) },
  { mode: 'server', open: async () => openControl({ dataDir: '', url: await postgres.url('store_test') }) },
]

describe.each(modes)('the control store, $mode,', ({ open }) => {
  let control: Control
  beforeAll(async () => {
    control = await open()
    await control.script(
      'CREATE TABLE things (id text PRIMARY KEY, tags text[], at timestamptz, raw bytea, count bigint)',
    )
  })
  afterAll(() => control?.close())

  test('gives back what it was given, of every type in use', async () => {
    const at = new Date('2026-03-01T10:00:00.123Z')
    const values = ['a\'b"\\', ['x', 'y,"z'], at, Buffer.from([0, 255, 7]), 12]
    await control.query('INSERT INTO things (id, tags, at, raw, count) VALUES ($1, $2, $3, $4, $5)', values)
    const [row] = await control.query(
      'SELECT id, tags, at, raw, count::int AS count FROM things WHERE id = $1',
      [values[0]],
    )
    expect(row).toMatchObject({ id: values[0], tags: values[1], at, count: 12 })
    expect(Buffer.from(Object(row).raw)).toEqual(values[3])
  })

  test('keeps all of a transaction or nothing', async () => {
    const failing = control.transaction(async (sql) => {
      await sql.query('INSERT INTO things (id) VALUES ($1)', ['half'])
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await control.query('SELECT id FROM things WHERE id = $1', ['half'])).toEqual([])
  })

  test('passes notices to listeners', async () => {
    const heard: string[] = []
    await control.listen(
      'assay_test',
      (payload) => heard.push(payload),
      () => {},
    )
    await control.notify('assay_test', "it's here")
    await untilTrue('the word to arrive', () => heard.length > 0)
    expect(heard).toEqual(["it's here"])
  })

  test('runs exclusive work one after the other', async () => {
    const steps: string[] = []
    const work = (name: string) =>
      control.exclusively(42, async () => {
        steps.push(`${name} begins`)
        await control.query('SELECT 1')
        steps.push(`${name} ends`)
      })
    await work('a')
    await work('b')
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })
})

describe('a listening connection that is cut', () => {
  test('comes back, says that something may have been missed, and hears again', async () => {
    const control = await openControl({ dataDir: '', url: await postgres.url('cut_off') })
    try {
      const heard: string[] = []
      await control.listen(
        'assay_test',
        (payload) => heard.push(payload),
        () => heard.push('missed'),
      )
      await control.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
      await untilTrue('the connection to come back', () => heard.includes('missed'))
      await control.notify('assay_test', 'again')
      await untilTrue('the word to arrive', () => heard.includes('again'))
    } finally {
      await control.close()
    }
  })
})

describe('two nodes that start together on empty servers', () => {
  test('migrate once, make one workspace, and share keys, sites and limits', async () => {
    const { clickhouseUrl } = await sharedStores()
    const postgresUrl = await postgres.url('two_nodes')
    const nats = await startNats(1)
    const start = (): Promise<Product> =>
      startProduct({
        ...readConfig({ ASSAY_PORT: '0', ASSAY_DATA_DIR: temporaryDirectory() }),
        clickhouseUrl,
        postgresUrl,
        replicatedLog: nats.settings({ partitions: 1 }),
      })
    const [one, two] = await Promise.all([start(), start()])
    try {
      const { control } = one.deps
      expect((await control.query('SELECT name FROM migrations')).length).toBe(
        readMigrations('control').length,
      )
      expect(await control.query('SELECT name FROM workspaces')).toEqual([{ name: 'default' }])
      expect([one.firstRunFile, two.firstRunFile].filter((file) => file !== null)).toHaveLength(1)
      const [site] = await control.query<{ id: string; workspace_id: string }>(
        'SELECT id, workspace_id FROM sites',
      )
      const { id = '', workspace_id: workspaceId = '' } = site ?? {}
      expect((await two.deps.sites.own(workspaceId, id))?.name).toBe('My site')
      await control.query('UPDATE sites SET name = $1', ['Renamed'])
      await one.deps.sites.changed(id)
      await untilTrue('the other node to hear of it', async () => {
        return (await two.deps.sites.own(workspaceId, id))?.name === 'Renamed'
      })
      const file = one.firstRunFile ?? two.firstRunFile ?? ''
      const { secretKey } = JSON.parse(readFileSync(file, 'utf8'))
      const callsLeft = async ({ url }: Product) => {
        const headers = { authorization: `Bearer ${secretKey}` }
        const response = await fetch(`${url}/v1/auth/api-keys`, { headers })
        return Number(response.headers.get('x-ratelimit-remaining'))
      }
      // Two nodes count one call; if the minute ends meanwhile, both start again and it is retried.
      await untilTrue('the limit to be shared', async () => {
        const before = await callsLeft(two)
        for (let call = 0; call < 5; call++) await callsLeft(one)
        const told = async () => (await callsLeft(two)) <= before - 6
        return (await told()) || (await told())
      })
    } finally {
      await Promise.all([one.close(), two.close()])
      await nats.close()
    }
  }, 120_000)
})
