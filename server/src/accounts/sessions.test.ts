import { listApiKeys, listSites, mintApiKey, roles, track } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dashboardHeader, workspaceHeader } from '../http/person.ts'
import { startWorld, type TestPerson, type TestWorkspace, type World } from '../testing/harness.ts'
import { addMember } from './users.ts'

let world: World
let shop: TestWorkspace
let owner: TestPerson
const clock = { ms: Date.now() }

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
  shop = await world.newWorkspace()
  owner = await world.signIn('owner', shop)
})
afterAll(() => world?.close())

const statusOf = async (headers: Record<string, string>, init: RequestInit = {}) =>
  (await fetch(`${world.product.url}/api/v1/sites`, { ...init, headers })).status

describe('a person', () => {
  test.each(roles)('who is %s in a workspace does there what the role says', async (role) => {
    const person = await world.signIn(role, shop)
    expect((await person.call(listSites, { query: {} })).body.data).toMatchObject([{ id: shop.siteId }])
    const mint = await person.call(mintApiKey, { body: { kind: 'test', name: 'x', scopes: ['sites:read'] } })
    const isHigh = role === 'admin' || role === 'owner'
    expect(mint.status).toBe(isHigh ? 201 : 403)
    if (!isHigh) expect(mint.problem.detail).toContain(`is ${role}; this takes at least admin`)
  })

  test('who is not signed in, or sends a broken token, is refused', async () => {
    expect(await statusOf({})).toBe(401)
    expect(await statusOf({ authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' })).toBe(401)
    expect(await statusOf({ authorization: 'Bearer eyJ' })).toBe(401)
  })

  test('never sends events', async () => {
    const body = { event: '$login', user_id: 'u', properties: { method: 'x' } }
    expect((await owner.call(track, { body })).status).toBe(403)
  })

  test('names one of their workspaces, else is in the first they joined', async () => {
    const other = await world.newWorkspace()
    const { control, sessions } = world.product.deps
    expect((await owner.call(listSites, { query: {} })).body.data[0]?.id).toBe(shop.siteId)
    const inOther = { headers: { [workspaceHeader]: other.workspaceId } }
    expect((await owner.call(listSites, { query: {} }, inOther)).status).toBe(404)
    clock.ms += 1_000
    await addMember(control, () => clock.ms, other.workspaceId, owner.userId, 'viewer')
    await sessions.userChanged(owner.userId)
    expect((await owner.call(listSites, { query: {} }, inOther)).body.data[0]?.id).toBe(other.siteId)
    expect((await owner.call(listApiKeys, { query: {} }, inOther)).status).toBe(403)
    expect((await owner.call(listSites, { query: {} })).body.data[0]?.id).toBe(shop.siteId)
  })

  test('gets the same answer for a workspace of others as for one that does not exist', async () => {
    const theirs = await world.newWorkspace()
    const ask = async (workspaceId: string) =>
      (await owner.call(listSites, { query: {} }, { headers: { [workspaceHeader]: workspaceId } })).problem
    const foreign = await ask(theirs.workspaceId)
    expect(foreign).toEqual({ ...(await ask('ws_none')), instance: foreign.instance })
    expect(foreign.status).toBe(404)
  })
})

describe('the cookie of the dashboard', () => {
  const write = { method: 'POST', body: '{}' }
  const cookie = () => `other=1; assay_access=${owner.accessToken}`
  const json = { 'content-type': 'application/json' }

  test('lets a person read', async () => {
    expect(await statusOf({ cookie: cookie() })).toBe(200)
  })

  test('changes nothing unless the request comes from a page of ours', async () => {
    const { url } = world.product
    const marked = { cookie: cookie(), ...json, [dashboardHeader]: '1' }
    expect(await statusOf({ cookie: cookie(), ...json }, write)).toBe(403)
    expect(await statusOf({ ...marked, origin: 'https://evil.example' }, write)).toBe(403)
    expect(await statusOf({ ...marked, origin: 'null' }, write)).toBe(403)
    expect(await statusOf({ ...marked, 'sec-fetch-site': 'same-site' }, write)).toBe(403)
    // Let in, and only then told that a site needs a name.
    expect(await statusOf({ ...marked, origin: url, 'sec-fetch-site': 'same-origin' }, write)).toBe(422)
  })
})
