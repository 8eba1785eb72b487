import { connect } from 'node:net'
import { isRecord, problemSlugs, type RouteShape, routes } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let workspace: TestWorkspace
const publicUrl = 'https://assay.example'

beforeAll(async () => {
  world = await startWorld({ config: { publicUrl } })
  workspace = await world.newWorkspace()
})
afterAll(() => world?.close())

/** Security headers of every answer, and its rate limit. */
function expectGuarded(headers: Headers): void {
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toMatch(/frame-ancestors '(?:none|self)'/)
  expect(headers.get('referrer-policy')).toMatch(/^(?:no-referrer|same-origin)$/)
  expect(headers.get('cross-origin-resource-policy')).toMatch(/^(?:same|cross)-origin$/)
  expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/)
  for (const name of ['limit', 'remaining', 'reset']) {
    expect(headers.get(`x-ratelimit-${name}`), name).toMatch(/^\d+$/)
  }
}

function expectProblem(status: number, headers: Headers, text: string): void {
  expect(headers.get('content-type')).toContain('application/problem+json')
  const body: unknown = JSON.parse(text)
  expect(body).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) })
  const slug = isRecord(body) ? String(body.type).split('/').pop() : ''
  expect(problemSlugs).toContain(slug)
  expectGuarded(headers)
}

const pathOf = (route: RouteShape) => route.path.replace(/:[A-Za-z_]+/g, 'none_such')

async function ask(method: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.product.url}${path}`, { method, headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('every answer forbids browsers to load, sniff and frame anything', () => {
  const all = routes.map((route) => ({ id: route.id, route }))
  test.each(all)('of $id, with a key and without one', async ({ route }) => {
    const authorization = `Bearer ${workspace.keys.test}`
    for (const headers of [{ authorization }, {}]) {
      const answer = await ask(route.method, pathOf(route), headers)
      expectGuarded(answer.headers)
      const forOthers = answer.headers.get('cross-origin-resource-policy')
      expect(forOthers).toBe(route.plane === 'data' ? 'cross-origin' : 'same-origin')
    }
  })

  test.each(all)(
    'of $id, to a preflight, to an OPTIONS that is none, and to methods it does not take',
    async ({ route }) => {
      const path = pathOf(route)
      const preflight = { origin: 'https://shop.example', 'access-control-request-method': route.method }
      const asked = await ask('OPTIONS', path, preflight)
      expectGuarded(asked.headers)
      expect(asked.headers.has('access-control-allow-origin')).toBe(route.plane === 'data')
      const bare = await ask('OPTIONS', path)
      expect(bare.status).toBe(405)
      expect(bare.headers.get('allow')).toContain(route.method)
      expectProblem(405, bare.headers, bare.text)
      for (const method of ['PUT', 'PROPFIND', 'SEARCH', 'MKCOL']) {
        const { status, headers, text } = await ask(method, path)
        expect(status, method).toBe(405)
        expectProblem(status, headers, text)
      }
    },
  )

  test('of probes, pages, scripts, files and addresses that there are not', async () => {
    const page = await ask('GET', '/')
    const assets = [...page.text.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path)
    expect(assets.length).toBeGreaterThan(0)
    const probes = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/problems', '/problems/conflict']
    const pages = [
      '/',
      '/ws_1/x',
      '/player.html',
      '/sign-in',
      '/connect',
      '/sdk.js',
      '/sdk.mjs',
      '/replay.js',
      '/docs/',
      '/docs/tour',
      '/docs/api/ingest.html',
    ]
    for (const path of [...probes, ...pages, ...assets]) {
      const answer = await ask('GET', path)
      expect(answer.status, path).toBe(200)
      expectGuarded(answer.headers)
    }
    const missing = [
      '/none',
      '/v1/none',
      '/assets/none.js',
      '/sdk-none',
      '/problems/none',
      '/docs/none',
      '/a%20b',
      '/%',
    ]
    for (const path of [...missing, `/v1/registry/contracts/${'x'.repeat(400)}`]) {
      const { status, headers, text } = await ask('GET', path)
      expect([400, 404], path).toContain(status)
      expectProblem(status, headers, text)
    }
  })

  test('so that scripts of other origins can still load the SDK and call the data plane', async () => {
    const script = await ask('GET', '/sdk.js', { origin: 'https://shop.example' })
    expect(script.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    const settings = await ask('GET', `/v1/projects/${workspace.keys.public}/settings`, {
      origin: 'https://shop.example',
    })
    expect(settings.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('bytes that never reach a route are answered by a problem', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    [
      'two lengths',
      'POST /v1/track HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    ['a wish for a tunnel', 'CONNECT inner.example:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['a method that echoes', 'TRACE /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 405],
    [
      'an unknown expectation',
      'GET /none HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['no host before there were any', 'GET /none HTTP/1.0\r\n\r\n', 404],
    ['no address', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    ['a whole address', 'GET http://x/none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    ['a broken escape', 'GET /v1/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['another version', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    [
      'a wish for another protocol',
      'GET /none HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n',
      404,
    ],
    [
      'chunks that are none',
      'POST /v1/track HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 413],
  ])('with %s', async (_what, bytes, expected) => {
    const { status, headers, text } = await sendBytes(bytes)
    expect(status).toBe(expected)
    expectProblem(status, headers, text)
  })
})

describe('the protocol of code editors refuses by problems too', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const authorization = () => `Bearer ${workspace.keys.live}`
  test.each<[string, Record<string, string>, string, number]>([
    ['without a credential', { authorization: '' }, JSON.stringify(list), 401],
    ['with a body that is no JSON', {}, '{', 400],
    ['with a body that is no message', {}, '{"a":1}', 400],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1', 415],
    ['for an answer that it does not give', { accept: 'text/html' }, JSON.stringify(list), 400],
  ])('%s', async (_how, headers, body, expected) => {
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const response = await fetch(`${world.product.url}/mcp`, {
      method: 'POST',
      headers: { ...json, authorization: authorization(), ...headers },
      body,
    })
    expect(response.status).toBe(expected)
    expectProblem(response.status, response.headers, await response.text())
  })

  test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('%s', async (method) => {
    const { status, headers, text } = await ask(method, '/mcp', { authorization: authorization() })
    expect(status).toBe(405)
    expectProblem(status, headers, text)
  })
})

async function sendBytes(bytes: string): Promise<{ status: number; headers: Headers; text: string }> {
  const { hostname, port } = new URL(world.product.url)
  const answer = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
  const [head = '', text = ''] = answer.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1),
    ]),
  )
  return { status: Number(first.split(' ')[1]), headers, text }
}
