import { expect, test } from 'vitest'
import { toProblem } from '../http/problem.ts'
import { openControl } from '../store/control.ts'
import { startCutProxy } from '../testing/cut-proxy.ts'
import { freePort } from '../testing/free-port.ts'
import { makeDatabase } from '../testing/harness.ts'
import { reaching, StoreUnreachable } from './store-failure.ts'

test('a store that went away is unavailable to callers, and one that refuses a statement is a bug', async () => {
  const database = await makeDatabase('empty')
  const url = new URL(database.url)
  const proxy = await startCutProxy(Number(url.port))
  url.port = String(proxy.port)
  const control = await openControl({ dataDir: '', url: url.href })
  const failure = async (work: () => Promise<unknown>) => work().catch((error: unknown) => error)
  expect(await failure(() => control.query('SELECT nothing'))).not.toBeInstanceOf(StoreUnreachable)
  const cutOff = failure(() =>
    control.transaction(async (sql) => {
      await sql.query('SELECT 1')
      proxy.cut()
      await sql.query('SELECT 1')
    }),
  )
  for (const lost of [await cutOff, await failure(() => control.query('SELECT 1'))]) {
    expect(lost).toBeInstanceOf(StoreUnreachable)
    expect(toProblem(lost)).toMatchObject({ slug: 'unavailable', status: 503 })
  }
  proxy.mend()
  expect(await control.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  await control.close()
  await proxy.close()
  await database.drop()
}, 60_000)

test('so is one that never answered', async () => {
  const port = await freePort()
  const refused = reaching('events', () =>
    fetch(`http://127.0.0.1:${port}`).catch(({ cause }) => Promise.reject(cause)),
  )
  await expect(refused).rejects.toBeInstanceOf(StoreUnreachable)
})
