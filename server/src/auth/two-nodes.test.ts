import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, systemClock } from '../platform/clock.ts'
import { type Control, openControl } from '../store/control.ts'
import { type Database, makeDatabase, untilTrue } from '../testing/harness.ts'
import { type ClosedWorkspaces, createClosedWorkspaces } from '../workspaces/closed-workspaces.ts'
import { changeRole, removeMember } from '../workspaces/members/members.ts'
import { addMember, ensureUser } from '../workspaces/members/users.ts'
import { leaveWorkspace } from '../workspaces/own-workspaces.ts'
import { openWorkspace } from '../workspaces/workspaces.ts'
import { createKeyRing, type KeyRing, mintKey } from './keys/keys.ts'
import { revokeKey, updateKey } from './keys/store.ts'

type Node = { control: Control; keyRing: KeyRing; closed: ClosedWorkspaces }

let database: Database
let one: Node
let two: Node

beforeAll(async () => {
  database = await makeDatabase()
  const start = async (): Promise<Node> => {
    const control = await openControl({ dataDir: '', url: database.url })
    const closed = await createClosedWorkspaces(control)
    return { control, closed, keyRing: await createKeyRing(control, systemClock, closed.has) }
  }
  one = await start()
  two = await start()
})
afterAll(async () => {
  await one?.control.close()
  await two?.control.close()
  await database?.drop()
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

test('what a node has cached is gone when its connection for notices was cut and is back', async () => {
  const { key, row } = await newKey()
  expect(await two.keyRing.find(key)).not.toBeNull()
  // No notice of it is sent, as if it was sent while the node could not hear.
  await revokeKey(one.control, row.workspace_id, row.id, new Date())
  expect(await two.keyRing.find(key)).not.toBeNull()
  await one.control.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
  await untilTrue('the end of the key', async () => (await two.keyRing.find(key)) === null)
})

test('the keys of a workspace that is to be deleted stop on the other node, and start again', async () => {
  const { key, row } = await newKey()
  const isKnown = async () => (await two.keyRing.find(key)) !== null
  expect(await isKnown()).toBe(true)
  await one.closed.close(row.workspace_id)
  expect(await one.keyRing.find(key)).toBeNull()
  await untilTrue('the end of its keys', async () => !(await isKnown()))
  await one.closed.reopen(row.workspace_id)
  await untilTrue('their return', isKnown)
})

test('what a deleted workspace left in the memory of the other node is forgotten', async () => {
  const forgotten: string[] = []
  two.closed.onGone((workspaceId) => forgotten.push(workspaceId))
  await one.closed.gone('ws_gone')
  await untilTrue('the other node to hear of it', () => forgotten.includes('ws_gone'))
  expect(two.closed.has('ws_gone')).toBe(true)
})

test('of two owners who go at the same time by different nodes one stays', async () => {
  const waysToGo = [
    (node: Node, workspaceId: string, userId: string) =>
      leaveWorkspace({ ...node, ...clock }, { userId, requestId: '', country: '' }, workspaceId),
    ({ control }: Node, workspaceId: string, userId: string) =>
      changeRole(control, systemClock, { workspaceId, userId, scopes: ['*'] }, 'viewer'),
    ({ control }: Node, workspaceId: string, userId: string) =>
      removeMember(control, systemClock, { workspaceId, userId, scopes: ['*'] }),
  ]
  for (let round = 0; round < 9; round += 1) {
    const workspaceId = newId('ws')
    await openWorkspace(one.control, workspaceId, 'Test')
    const [first, second] = [await newOwner(workspaceId), await newOwner(workspaceId)]
    const [here, there] = [waysToGo[round % 3], waysToGo[Math.floor(round / 3)]]
    const ends = await Promise.allSettled([
      here?.(one, workspaceId, first),
      there?.(two, workspaceId, second),
    ])
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const owners = await one.control.query(
      `SELECT user_id FROM memberships WHERE workspace_id = $1 AND role = 'owner'`,
      [workspaceId],
    )
    expect(owners).toHaveLength(1)
  }
})

const clock = { now: systemClock, newId }

async function newOwner(workspaceId: string): Promise<string> {
  const { id } = await ensureUser(one.control, newId, systemClock, `${newId('owner')}@example.com`)
  await addMember(one.control, systemClock, workspaceId, id, 'owner')
  return id
}
