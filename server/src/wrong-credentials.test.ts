import { randomBytes } from 'node:crypto'
import { makeKey, mcpEndpoint, type RouteShape, revokeApiKey, routes, takesSenders } from '@assay/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accessCookie } from './http/access/person.ts'
import { startWorld, type TestPerson, type TestWorkspace, type World } from './testing/harness.ts'

/** Few, so that a whole minute is used up at once. */
const wrongMax = 6
let nowMs = Date.now()
let world: World
let workspace: TestWorkspace
let person: TestPerson
let revoked: string

beforeAll(async () => {
  const many = 1e9
  const calls = { apiRead: many, apiWrite: many, controlRead: many, controlWrite: many, person: many }
  const callsPerMinute = { ...calls, open: wrongMax, signIn: wrongMax }
  world = await startWorld({ now: () => nowMs, config: { callsPerMinute } })
  workspace = await world.newWorkspace()
  person = await world.signIn('owner', workspace)
  const spent = await world.newWorkspace()
  const [row] = await world.product.deps.control.query<{ id: string }>(
    "SELECT id FROM api_keys WHERE workspace_id = $1 AND kind = 'secret'",
    [spent.workspaceId],
  )
  await spent.call(revokeApiKey, { params: { id: row?.id ?? '' } })
  revoked = spent.keys.secret
})
afterAll(() => world?.close())
beforeEach(() => {
  nowMs += 60_000
  nowMs -= nowMs % 60_000
})

type Sent = { headers?: Record<string, string>; body?: object; query?: string }

async function send(route: RouteShape, { headers = {}, body = {}, query = '' }: Sent): Promise<number> {
  const path = route.path.replace(/:[A-Za-z_]+/g, 'google')
  const response = await fetch(`${world.product.url}${path}${query}`, {
    method: route.method,
    redirect: 'manual',
    headers: { ...(route.method !== 'GET' && { 'content-type': 'application/json' }), ...headers },
    ...(route.method !== 'GET' && { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  return response.status
}

const bearer = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } })
const unknownKey = (kind: 'secret' | 'public') => makeKey(kind, (count) => randomBytes(count))
const foreignToken = () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'EdDSA' })}.${part({ sub: 'usr_1', exp: 4e9 })}.${randomBytes(64).toString('base64url')}`
}

/** One of each kind that a request can bring. */
function wrongOnes(route: RouteShape): Sent[] {
  const basic = Buffer.from(`${unknownKey('secret')}:`).toString('base64')
  const body = { writeKey: unknownKey('public') }
  const cookie = { headers: { cookie: `${accessCookie(false)}=${foreignToken()}`, 'x-assay-dashboard': '1' } }
  return [
    bearer('no key at all'),
    bearer(unknownKey('secret')),
    bearer(revoked),
    bearer(foreignToken()),
    { headers: { authorization: `Basic ${basic}` } },
    takesSenders(route) && route.method !== 'GET' ? { body } : cookie,
  ]
}

const isGuarded = ({ access }: RouteShape) => ['read', 'write', 'send', 'record', 'person'].includes(access)
const guarded = [...routes.filter(isGuarded), mcpEndpoint]

describe('wrong credentials are counted by where they come from, and run into a limit', () => {
  test.each(guarded.map((route) => ({ id: route.id, route })))('at $id', async ({ route }) => {
    const wrong = wrongOnes(route)
    expect(wrong).toHaveLength(wrongMax)
    for (const sent of wrong) expect(await send(route, sent)).toBe(401)
    for (const sent of wrong) expect(await send(route, sent)).toBe(429)
  })

  test('which never refuses a valid one', async () => {
    const [route] = guarded
    if (route === undefined) throw new Error('there are routes')
    for (let attempt = 0; attempt <= wrongMax; attempt++) await send(route, bearer('wrong'))
    expect(await send(route, bearer('wrong'))).toBe(429)
    expect(await send(route, bearer(workspace.keys.secret))).toBe(200)
  })
})

const verifier = 'v'.repeat(50)
/** Routes without a guard whose body or address holds a secret: what is sent, and what a wrong one answers. */
const bySecret: Readonly<Record<string, { sent: () => Sent; status: number }>> = {
  verifyMagicLink: {
    sent: () => ({ body: { token: `ml_${randomBytes(20).toString('hex')}` } }),
    status: 401,
  },
  exchangeOauthCode: {
    sent: () => ({
      body: { code: 'oc_wrong', redirect_uri: 'https://tool.example/', code_verifier: verifier },
    }),
    status: 401,
  },
  finishOauth: { sent: () => ({ query: '?state=st_wrong&code=x' }), status: 404 },
  refreshSession: { sent: () => ({ body: { refresh_token: 'rt_wrong' } }), status: 401 },
  redeemCommand: { sent: () => ({ body: { code: 'wrong', code_verifier: verifier } }), status: 401 },
  downloadExport: {
    sent: () => ({ query: `?expires=4000000000000&signature=${'0'.repeat(64)}` }),
    status: 404,
  },
  getShared: { sent: () => ({}), status: 404 },
  getSharedResult: { sent: () => ({}), status: 404 },
  getSubscription: { sent: () => ({}), status: 404 },
  unsubscribe: { sent: () => ({}), status: 404 },
  acceptInvitation: {
    sent: () => ({ ...bearer(person.accessToken), body: { token: `it_${randomBytes(20).toString('hex')}` } }),
    status: 404,
  },
}
/** Nothing in them is secret; or events are what they count, and the tests of ingest and webhooks look at that. */
const withoutSecret = [
  'listSignInMethods',
  'requestMagicLink',
  'beginOauth',
  'getSigningKeys',
  'segmentSettings',
  'posthogConfig',
  'posthogConfigScript',
  'rudderSourceConfig',
  'posthogFlags',
  'listPrivacyKeys',
  'siteIngest',
  'receiveWebhook',
]

describe('wrong links, codes and tokens are counted by where they come from', () => {
  test('at every route that takes one', () => {
    const unguarded = routes.filter((route) => !isGuarded(route)).map(({ id }) => id)
    const known = [...Object.keys(bySecret).filter((id) => id !== 'acceptInvitation'), ...withoutSecret]
    expect(unguarded.toSorted()).toEqual(known.toSorted())
  })

  test.each(Object.keys(bySecret).map((id) => ({ id })))('at $id', async ({ id }) => {
    const route = routes.find((one) => one.id === id)
    const { sent, status } = bySecret[id] ?? {}
    if (route === undefined || sent === undefined) throw new Error(`no route ${id}`)
    // A token is good for 15 minutes, and the clock moves with every test.
    if (id === 'acceptInvitation') person = await world.signIn('owner', workspace)
    for (let attempt = 0; attempt < wrongMax; attempt++) expect(await send(route, sent())).toBe(status)
    expect(await send(route, sent())).toBe(429)
  })
})
