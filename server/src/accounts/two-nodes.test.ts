import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, systemClock } from '../clock.ts'
import { type Control, openControl } from '../store/control.ts'
import { readMigrations } from '../store/migrate.ts'
import { untilTrue } from '../testing/harness.ts'
import { type PostgresServer, startPostgres } from '../testing/postgres-server.ts'
import { createKeyRing, type KeyRing, mintKey } from './keys.ts'
import { revokeKey, updateKey } from './store.ts'
import { openWorkspace } from './workspaces.ts'

type Node = { control: Control; keyRing: KeyRing }

let postgres: PostgresServer
let one: Node
let two: Node

beforeAll(async () => {
  postgres = await startPostgres()
  const url = await postgres.url('accounts_test')
  const start = async (): Promise<Node> => {
    const control = await openControl({ dataDir: '', url })
    return { control, keyRing: await createKeyRing(control, systemClock) }
  }
  one = await start()
  for (const { text } of readMigrations('control')) await one.control.script(text)
  two = await start()
})
afterAll(async () => {
  await one?.control.close()
  await two?.control.close()
  await postgres?.stop()
})

async function newKey() {
  const workspaceId = newId('ws')
  await openWorkspace(one.control, workspaceId, 'Test')
  const wanted = {
    workspaceId,
    kind: 'secret',
    name: 'Test',
    siteId: null,
    environment: 'production',
  } as const
  return mintKey(one.control, newId, systemClock, { ...wanted, scopes: ['*'], expiresAt: null })
}

test('a key that one node revokes stops on the other, without being asked', async () => {
  const { key, row } = await newKey()
  for (const node of [one, two]) expect(await node.keyRing.find(key)).toMatchObject({ keyId: row.id })
  await revokeKey(one.control, row.workspace_id, row.id, new Date())
  await one.keyRing.changed(row.id)
  expect(await one.keyRing.find(key)).toBeNull()
  await untilTrue('the other node to hear of it', async () => (await two.keyRing.find(key)) === null)
})

test('a key that one node narrows is narrow on the other', async () => {
  const { key, row } = await newKey()
  expect(await two.keyRing.find(key)).toMatchObject({ scopes: ['*'] })
  await updateKey(one.control, { ...row, scopes: ['sites:read'] })
  await one.keyRing.changed(row.id)
  await untilTrue('the other node to hear of it', async () => {
    return (await two.keyRing.find(key))?.scopes.join() === 'sites:read'
  })
})

test('a key that is revoked while it is being looked up is not remembered', async () => {
  const { key, row } = await newKey()
  for (let round = 0; round < 20; round += 1) {
    const looking = two.keyRing.find(key)
    if (round === 10) await revokeKey(one.control, row.workspace_id, row.id, new Date())
    await one.keyRing.changed(row.id)
    await looking
  }
  await untilTrue('the end of the key', async () => (await two.keyRing.find(key)) === null)
})
