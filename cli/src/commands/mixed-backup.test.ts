import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChildProduct, startChild } from '../../../server/src/testing/child-product.ts'
import { untilTrue } from '../../../server/src/testing/harness.ts'
import { type PostgresServer, startPostgres } from '../../../server/src/testing/postgres-server.ts'
import { killable, logIsLoaded, post } from '../../../server/src/testing/sender.ts'
import { openShell } from '../testing/shell.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'assay-mixed-'))
const shell = openShell()
let postgres: PostgresServer

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres?.stop()
  shell.remove()
  rmSync(dataDir, { recursive: true, force: true })
})

const event = (nth: number) => ({
  event: '$login',
  event_id: `login-${nth}`,
  user_id: `u${nth % 7}`,
  properties: { method: 'x' },
})
const events = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => event(from + at))

async function send(product: ChildProduct, batch: readonly object[]) {
  const { summary } = Object(await (await post(product, '/v1/batch', { batch })).json())
  await untilTrue('the log to be loaded', () => logIsLoaded(product), 120_000)
  return { accept: summary.accept, duplicate: summary.duplicate }
}

async function countEvents({ url, keys }: ChildProduct): Promise<number> {
  const answer = await fetch(`${url}/api/analytics/overview?siteId=${keys.siteId}&window=2d`, {
    headers: { authorization: `Bearer ${keys.liveKey}` },
  })
  return Object(await answer.json()).metrics.events
}

test('events in the data directory and control on Postgres are backed up in two halves, and restored as one', async () => {
  const url = await postgres.url('mixed')
  const product = await startChild({ ...killable, ASSAY_DATA_DIR: dataDir, ASSAY_POSTGRES_URL: url })
  expect(await send(product, events(0, 100))).toEqual({ accept: 100, duplicate: 0 })
  const target = join(shell.directory, 'backup')
  const said = await shell.assay(['backup', target, '--data-dir', dataDir], { wait: (ms) => wait(ms) })
  expect(said).toMatchObject({ exitCode: 0, out: expect.stringContaining('Postgres is not in it') })
  expect(said.out).toMatch(/pg_dump .*ASSAY_POSTGRES_URL/)
  expect(readdirSync(target)).toEqual(expect.arrayContaining(['backup.json', 'events', 'log', 'node-id']))
  expect(readdirSync(target)).not.toContain('control')
  // As the command says: Postgres after the copy, while events come in.
  expect(await send(product, events(100, 150))).toEqual({ accept: 50, duplicate: 0 })
  const copy = await postgres.copy(url, 'mixed_restored')
  expect(await product.terminate()).toBe(0)

  const restored = join(shell.directory, 'restored')
  const put = await shell.assay(['restore', target, '--data-dir', restored])
  expect(put).toMatchObject({ exitCode: 0, out: expect.stringContaining('pg_restore') })
  const again = await startChild({ ...killable, ASSAY_DATA_DIR: restored, ASSAY_POSTGRES_URL: copy })
  expect(await countEvents(again)).toBe(100)
  expect(await send(again, events(0, 150))).toEqual({ accept: 50, duplicate: 100 })
  expect(await countEvents(again)).toBe(150)
  expect(await again.terminate()).toBe(0)
}, 300_000)
