import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../platform/clock.ts'
import { type Control, openControl } from '../../store/control.ts'
import { sharedSecret } from '../../store/installation.ts'
import { type Database, makeDatabase, untilTrue } from '../../testing/harness.ts'
import { addMember, ensureUser } from '../../workspaces/members/users.ts'
import { openWorkspace } from '../../workspaces/workspaces.ts'
import { type AccessTokens, createAccessTokens } from './access-tokens.ts'
import { createSessions, type Sessions } from './sessions.ts'

type Node = { control: Control; tokens: AccessTokens; sessions: Sessions }

let database: Database
let one: Node
let two: Node
const clock = { ms: Date.now() }
const now = () => clock.ms

beforeAll(async () => {
  database = await makeDatabase()
  const start = async (): Promise<Node> => {
    const control = await openControl({ dataDir: '', url: database.url })
    const tokens = await createAccessTokens(control, now, 'urn:assay:test')
    const refreshSecret = await sharedSecret(control, 'refresh-tokens')
    return { control, tokens, sessions: await createSessions({ control, tokens, refreshSecret, now, newId }) }
  }
  one = await start()
  two = await start()
})
afterAll(async () => {
  await one?.control.close()
  await two?.control.close()
  await database?.drop()
})

async function signIn() {
  const user = await ensureUser(one.control, newId, now, `${newId('user')}@example.com`)
  const workspaceId = newId('ws')
  await openWorkspace(one.control, workspaceId, 'Test')
  await addMember(one.control, now, workspaceId, user.id, 'viewer')
  const session = await one.sessions.open(user.id, 'magic-link', { device: 'Test', country: '' })
  return { ...session, workspaceId }
}

test('a session that one node ends has ended on the other, without being asked', async () => {
  const { accessToken, userId, sessionId } = await signIn()
  for (const node of [one, two]) expect(await node.sessions.find(accessToken)).toMatchObject({ userId })
  await one.sessions.revoke(userId, sessionId)
  expect(await one.sessions.find(accessToken)).toBeNull()
  await untilTrue('the other node to hear', async () => (await two.sessions.find(accessToken)) === null)
})

test('a role that changes on one node has changed on the other', async () => {
  const { accessToken, userId, workspaceId } = await signIn()
  expect(await two.sessions.find(accessToken)).toMatchObject({
    memberships: [{ workspaceId, role: 'viewer' }],
  })
  await one.control.query(`UPDATE memberships SET role = 'admin' WHERE user_id = $1`, [userId])
  await one.sessions.userChanged(userId)
  await untilTrue('the other node to hear', async () => {
    return (await two.sessions.find(accessToken))?.memberships[0]?.role === 'admin'
  })
})

test('a refresh token that is sent to both nodes at once has one successor', async () => {
  for (let round = 0; round < 10; round++) {
    const { refreshToken, sessionId } = await signIn()
    const senders = [one, two, one, two].map(({ sessions }) => sessions.refresh(refreshToken))
    const successors = (await Promise.all(senders)).map((tokens) => tokens?.refreshToken)
    expect(successors[0]).toMatch(/^rt_/)
    expect(new Set(successors).size).toBe(1)
    const left = 'SELECT hash FROM refresh_tokens WHERE session_id = $1 AND used_at IS NULL'
    expect(await one.control.query(left, [sessionId])).toHaveLength(1)
  }
})

test('a replay on one node ends the session on the other', async () => {
  const { refreshToken } = await signIn()
  const next = await one.sessions.refresh(refreshToken)
  expect(await two.sessions.find(next?.accessToken ?? '')).not.toBeNull()
  clock.ms += 11_000
  expect(await one.sessions.refresh(refreshToken)).toBeNull()
  await untilTrue('the other node to hear', async () => {
    return (await two.sessions.find(next?.accessToken ?? '')) === null
  })
  expect(await two.sessions.refresh(next?.refreshToken ?? '')).toBeNull()
})

test('a new signing key of one node is known to the other at its first token, and both made only one', async () => {
  const before = decodeProtectedHeader((await signIn()).accessToken).kid
  clock.ms += 30 * 86_400_000
  await Promise.all([one.tokens.rotate(), two.tokens.rotate()])
  const kids = one.tokens.published().keys.map(({ kid }) => kid)
  expect(kids).toHaveLength(2)
  expect(two.tokens.published().keys.map(({ kid }) => kid)).toEqual(kids)

  clock.ms += 30 * 86_400_000
  await one.tokens.rotate()
  const { accessToken, userId } = await signIn()
  expect([before, ...kids]).not.toContain(decodeProtectedHeader(accessToken).kid)
  expect(await two.sessions.find(accessToken)).toMatchObject({ userId })
})
