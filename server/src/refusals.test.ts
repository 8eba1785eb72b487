import { randomBytes } from 'node:crypto'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import {
  isRecord,
  leastRoles,
  makeKey,
  type ProblemSlug,
  problems,
  problemsOf,
  type RateClass,
  type RouteShape,
  routes,
  type Scope,
  takesSenders,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintKey } from './auth/keys/keys.ts'
import { newId } from './platform/clock.ts'
import { startWorld, type TestPerson, type TestWorkspace, type World } from './testing/harness.ts'

/** Far apart, so that the limit in an answer identifies its counter. */
const calls = {
  apiRead: 1_000_001,
  apiWrite: 1_000_002,
  controlRead: 1_000_003,
  controlWrite: 1_000_004,
  person: 1_000_005,
  signIn: 1_000_006,
  open: 1_000_007,
}
const eventsPerSecond = 1_000_000
/** A bucket holds two seconds' worth. */
const bucketEvents = 2 * eventsPerSecond

let world: World
let workspace: TestWorkspace
let viewer: TestPerson
let owner: TestPerson
/** By the one scope that each has. */
const narrow = new Map<Scope, string>()

beforeAll(async () => {
  // Two addresses, so that a route can be asked for where it is not.
  const config = { dataPort: 0, callsPerMinute: calls, ingestEventsPerSecond: eventsPerSecond }
  world = await startWorld({ config })
  workspace = await world.newWorkspace()
  viewer = await world.signIn('viewer', workspace)
  owner = await world.signIn('owner', workspace)
  for (const scope of ['audit:read', 'sites:read'] as const) narrow.set(scope, await mintNarrow(scope))
})
afterAll(() => world?.close())

async function mintNarrow(scope: Scope): Promise<string> {
  const { control } = world.product.deps
  const wanted = { workspaceId: workspace.workspaceId, kind: 'secret', name: 'Narrow', siteId: null } as const
  const rest = { environment: 'production', scopes: [scope], expiresAt: null } as const
  return (await mintKey(control, newId, Date.now, { ...wanted, ...rest })).key
}

type Asked = {
  method?: string
  path?: string
  bearer?: string
  body?: string
  headers?: Record<string, string>
  otherPlane?: boolean
}
type Refusal = { slugs: readonly ProblemSlug[]; limit: number; allow?: string }

const addressOf = ({ plane }: RouteShape, isOther = false) =>
  (plane === 'data') === !isOther ? world.product.dataUrl : world.product.url

/** By hand, since some of these say of themselves what they are not. */
function ask(route: RouteShape, asked: Asked) {
  const path = asked.path ?? route.path.replace(/:[A-Za-z_]+/g, 'none_such')
  const url = `${addressOf(route, asked.otherPlane)}${path}`
  const method = asked.method ?? route.method
  const body = method === 'POST' || method === 'PATCH' || method === 'PUT' ? asked.body : undefined
  const headers = {
    ...(asked.bearer !== undefined && { authorization: `Bearer ${asked.bearer}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...asked.headers,
  }
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
        sent.destroy()
      })
    })
    sent.on('error', reject)
    // A body that is announced and never comes is refused by its announced length alone.
    if (asked.headers?.['content-length'] === undefined) sent.end(body)
    else sent.flushHeaders()
  })
}

function limitOf(rate: RateClass): number {
  if (rate === 'ingest') return bucketEvents
  return rate === 'none' ? calls.open : calls[rate]
}

const isGuarded = ({ access }: RouteShape) => !['open', 'siteToken', 'vendor'].includes(access)
const takesBody = ({ method, body }: RouteShape) => body !== undefined && method !== 'GET'
const isByPeople = ({ access }: RouteShape) => ['read', 'write', 'record'].includes(access)
/** Where callers are anonymous and events are counted, no bucket is known before they are read. */
const ownLimit = (route: RouteShape) =>
  !isGuarded(route) && route.rate === 'ingest' ? calls.open : limitOf(route.rate)

/** The credential that gets as far as the route itself, and the counter that its calls count on. */
function rightOne(route: RouteShape): { bearer: string; limit: number } {
  return route.access === 'person'
    ? { bearer: owner.accessToken, limit: calls.person }
    : { bearer: workspace.keys.secret, limit: ownLimit(route) }
}

type Kind = (route: RouteShape) => [Asked, Refusal] | null

const withRight = (route: RouteShape, asked: Asked, slugs: readonly ProblemSlug[]): [Asked, Refusal] => {
  const { bearer, limit } = rightOne(route)
  return [
    { bearer, ...asked },
    { slugs, limit },
  ]
}

/** Every way to be refused that does not depend on what a route does. */
const kinds: Readonly<Record<string, Kind>> = {
  'no credential': (route) => {
    if (route.access === 'open') return null
    const slug = route.access === 'vendor' ? 'not-found' : 'unauthenticated'
    return [{ body: '{}' }, { slugs: [slug], limit: calls.open }]
  },
  'a wrong credential': (route) => {
    if (!isGuarded(route)) return null
    const bearer = makeKey('secret', (count) => randomBytes(count))
    return [
      { bearer, body: '{}' },
      { slugs: ['unauthenticated'], limit: calls.open },
    ]
  },
  'a wrong scope': (route) => {
    if (!isGuarded(route) || route.access === 'person' || route.scope === undefined) return null
    const bearer = narrow.get(route.scope === 'audit:read' ? 'sites:read' : 'audit:read') ?? ''
    return [
      { bearer, body: '{}' },
      { slugs: ['insufficient-scope'], limit: limitOf(route.rate) },
    ]
  },
  'a wrong role': (route) => {
    const scope = route.orScope ?? route.scope
    if (!isByPeople(route) || scope === undefined || scope === '*') return null
    if (leastRoles[scope] === 'viewer') return null
    // On an address of the data plane alone people have no part at all, and are not counted.
    const isForKeys = route.access === 'record'
    const limit = isForKeys ? calls.open : calls.person
    return [
      { bearer: viewer.accessToken, body: '{}' },
      { slugs: ['insufficient-scope'], limit },
    ]
  },
  'a key where a person is meant': (route) => {
    if (route.access !== 'person') return null
    const limit = limitOf(route.rate)
    return [
      { bearer: workspace.keys.secret, body: '{}' },
      { slugs: ['insufficient-scope'], limit },
    ]
  },
  'a person where a key is meant': (route) => {
    if (route.access !== 'send') return null
    return [
      { bearer: owner.accessToken, body: '{}' },
      { slugs: ['insufficient-scope'], limit: calls.open },
    ]
  },
  'a public key where a secret one is meant': (route) => {
    if (!isGuarded(route) || takesSenders(route)) return null
    const limit = limitOf(route.rate)
    return [
      { bearer: workspace.keys.public, body: '{}' },
      { slugs: ['insufficient-scope'], limit },
    ]
  },
  'the other plane': (route) => {
    if (route.alsoOn !== undefined) return null
    const slugs = ['not-found', 'method-not-allowed'] as const
    return [
      { otherPlane: true, bearer: workspace.keys.secret, body: '{}' },
      { slugs, limit: calls.open },
    ]
  },
  'a wrong method': () => [
    { method: 'PUT', body: '{}' },
    { slugs: ['method-not-allowed'], limit: calls.open },
  ],
  'an OPTIONS that is no preflight': () => [
    { method: 'OPTIONS' },
    { slugs: ['method-not-allowed'], limit: calls.open },
  ],
  'a broken escape': ({ path }) => [
    { path: `${path.replace(/:[A-Za-z_]+/g, 'x')}%zz` },
    { slugs: ['malformed-request'], limit: calls.open },
  ],
  'malformed JSON': (route) =>
    takesBody(route) && route.access !== 'vendor'
      ? withRight(route, { body: '{' }, ['malformed-request'])
      : null,
  'a wrong media type': (route) =>
    takesBody(route) && route.access !== 'vendor'
      ? withRight(route, { body: '{}', headers: { 'content-type': 'text/xml' } }, ['unsupported-media-type'])
      : null,
  'an unknown encoding': (route) =>
    takesBody(route) && route.access !== 'vendor'
      ? withRight(route, { body: '{}', headers: { 'content-encoding': 'rot13' } }, ['unsupported-media-type'])
      : null,
  'too large a body': (route) => {
    // A delivery is looked at by its address first.
    if (!takesBody(route) || route.access === 'vendor') return null
    const headers = { 'content-type': 'application/json', 'content-length': String(5 * 1024 * 1024) }
    return withRight(route, { headers }, ['payload-too-large'])
  },
  'a body that is not of its shape': (route) =>
    takesBody(route) && !route.rawBody ? withRight(route, { body: '[]' }, ['invalid-parameter']) : null,
  'an unknown parameter': (route) =>
    route.method === 'GET' && isStrict(route.query)
      ? withRight(route, { path: `${route.path.replace(/:[A-Za-z_]+/g, 'x')}?no_such=1` }, [
          'invalid-parameter',
        ])
      : null,
  'an unknown id': (route) =>
    route.method === 'GET' && isGuarded(route) && /\/:[A-Za-z_]+$/.test(route.path)
      ? withRight(route, { path: `${route.path.replace(/:[A-Za-z_]+/g, 'none_such')}${soundQuery(route)}` }, [
          'not-found',
        ])
      : null,
}

const isStrict = (shape: unknown) => isRecord(shape) && shape.additionalProperties === false

/** What a route needs besides the id. */
function soundQuery({ query }: RouteShape): string {
  const needed: readonly string[] = query?.required ?? []
  return needed.includes('siteId') ? `?siteId=${workspace.siteId}` : ''
}

function expectRefused(
  route: RouteShape,
  kind: string,
  { slugs, limit }: Refusal,
  answer: Awaited<ReturnType<typeof ask>>,
): void {
  const { status, headers, text } = answer
  const where = `${kind}: ${status} ${text.slice(0, 300)}`
  expect(headers['content-type'], where).toContain('application/problem+json')
  const problem: unknown = JSON.parse(text)
  if (!isRecord(problem)) throw new Error(where)
  const slug = slugs.find((one) => problem.type === `${world.product.url}/problems/${one}`)
  expect(slug, where).toBeDefined()
  if (slug === undefined) return
  expect(problem, where).toMatchObject({ title: problems[slug].title, status: problems[slug].status })
  expect(status, where).toBe(problems[slug].status)
  expect(problem.detail, where).toMatch(/\S/)
  expect(problem.instance, where).toMatch(/^req_/)
  const isOfRoute = slug !== 'method-not-allowed' && kind !== 'the other plane'
  if (isOfRoute) expect(problemsOf(route), `${route.id} does not list ${slug}`).toContain(slug)
  expectLimits(headers, limit, where)
}

/** One counter: what it allows, what is left of that, and when it is full again. */
function expectLimits(headers: IncomingHttpHeaders, limit: number, where: string): void {
  const [allowed, left, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers[`x-ratelimit-${name}`]),
  )
  expect(allowed, where).toBe(limit)
  expect(left, where).toBeGreaterThanOrEqual(0)
  expect(left, where).toBeLessThanOrEqual(limit)
  expect(reset, where).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000))
  expect(reset, where).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 61)
}

describe('a refusal names its problem and its counter', () => {
  test.each(routes.map((route) => ({ id: route.id, route })))(
    'at $id, whatever it is for',
    async ({ route }) => {
      for (const [kind, refuse] of Object.entries(kinds)) {
        const refused = refuse(route)
        if (refused === null) continue
        const [asked, expected] = refused
        expectRefused(route, kind, expected, await ask(route, asked))
      }
    },
  )
})

describe('the planes', () => {
  const both = routes.filter(({ alsoOn }) => alsoOn !== undefined)
  test('share what the specifications name on either address', () => {
    expect(both.map(({ id }) => id).toSorted()).toEqual(['recordConsent', 'siteIngest'])
  })

  test('both record consent by a key, and the control plane by a person too', async () => {
    const body = JSON.stringify({ user_id: 'u_1', categories: { ad_storage: 'granted' } })
    const at = (url: string, bearer: string) =>
      fetch(`${url}/v1/consent`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body,
      })
    const { url, dataUrl } = world.product
    expect(url).not.toBe(dataUrl)
    for (const address of [url, dataUrl]) expect((await at(address, workspace.keys.secret)).status).toBe(201)
    const analyst = await world.signIn('analyst', workspace)
    const recorded = await at(url, analyst.accessToken)
    expect(recorded.status).toBe(201)
    expect(recorded.headers.get('x-ratelimit-limit')).toBe(String(calls.person))
    expect((await at(url, viewer.accessToken)).status).toBe(403)
    expect((await at(dataUrl, analyst.accessToken)).status).toBe(403)
  })

  test('both take the events of a site with its token', async () => {
    const { siteId, siteToken: token } = workspace
    for (const url of [world.product.url, world.product.dataUrl]) {
      const answer = await fetch(`${url}/api/ingest`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ siteId, token, events: [{ type: 'pageview', url: '/' }] }),
      })
      expect(answer.status).toBe(202)
      expect(answer.headers.get('x-ratelimit-limit')).toBe(String(bucketEvents))
      const left = Number(answer.headers.get('x-ratelimit-remaining'))
      expect(left).toBeLessThan(bucketEvents)
    }
  })
})
