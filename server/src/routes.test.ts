import { isProblemSlug, problems, problemsOf, type RouteShape, routes, takesSenders } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyCharacter } from './testing/any-character.ts'
import { startWorld, type TestWorkspace, type World } from './testing/harness.ts'
import { runs } from './testing/runs.ts'

let world: World
let ours: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  ours = await world.newWorkspace()
})
afterAll(() => world?.close())

/** One that gets as far as the route itself: a session may end in a test, so each has its own. */
async function credentialFor(route: RouteShape): Promise<string> {
  return route.access === 'person' ? (await world.signIn('owner', ours)).accessToken : ours.keys.secret
}

type Wire = { status: number; type: string; body: string; headers: Headers }

async function send(
  route: RouteShape,
  options: { key?: string; body?: string | Buffer; path?: string; type?: string },
) {
  const path = options.path ?? route.path.replace(/:[A-Za-z_]+/g, 'none_such')
  const hasBody = options.body !== undefined && route.method !== 'GET'
  const response = await fetch(`${world.product.url}${path}`, {
    method: route.method,
    headers: {
      ...(options.key !== undefined && { authorization: `Bearer ${options.key}` }),
      ...(hasBody && { 'content-type': options.type ?? 'application/json' }),
    },
    ...(hasBody && { body: options.body }),
  })
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    body: await response.text(),
    headers: response.headers,
  }
}

/** Every failure is a problem of the list with all its members, and one that the route says it may answer. */
function expectListedProblem(route: RouteShape, answer: Wire): void {
  expect(answer.type).toContain('application/problem+json')
  const problem = JSON.parse(answer.body)
  const slug = String(problem.type).split('/').at(-1) ?? ''
  expect(isProblemSlug(slug), `unknown problem ${problem.type}`).toBe(true)
  if (!isProblemSlug(slug)) return
  expect(problem).toMatchObject({
    title: problems[slug].title,
    status: answer.status,
    instance: expect.any(String),
  })
  expect(problems[slug].status).toBe(answer.status)
  expect(problemsOf(route), `${route.id} does not list ${slug}`).toContain(slug)
  expect(slug, problem.detail).not.toBe('internal')
}

const guarded = routes.filter((route) => !['open', 'siteToken', 'vendor'].includes(route.access))

describe.each(routes.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
  '$name',
  ({ route }) => {
    test('is served, and says what is left of its limit', async () => {
      // A receipt waits for what other routes have sent, and no longer than ten seconds.
      expect(await world.product.deps.writer.flush(50_000)).toBe(true)
      const answer = await send(route, { key: await credentialFor(route), body: '{}' })
      expect(answer.status).not.toBe(405)
      expect(answer.status).toBeLessThan(500)
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
        expect(answer.headers.get(name), name).toMatch(/^\d+$/)
      }
      if (answer.status >= 400) expectListedProblem(route, answer)
    })
  },
)

describe('a credential', () => {
  test.each(guarded.map((route) => ({ id: route.id, route })))('is required by $id', async ({ route }) => {
    const answer = await send(route, { body: '{}' })
    expect(answer.status).toBe(401)
    expectListedProblem(route, answer)
  })

  test.each(guarded.map((route) => ({ id: route.id, route })))(
    'in the query string is refused by $id',
    async ({ route }) => {
      const path = `${route.path.replace(/:[A-Za-z_]+/g, 'x')}?key=${ours.keys.secret}&writeKey=${ours.keys.secret}`
      expect((await send(route, { body: '{}', path })).status).toBe(401)
    },
  )

  test.each(guarded.map((route) => ({ id: route.id, route })))(
    'with a typo is refused by $id',
    async ({ route }) => {
      const typo = `${ours.keys.live.slice(0, -1)}${ours.keys.live.endsWith('a') ? 'b' : 'a'}`
      expect((await send(route, { key: typo, body: '{}' })).status).toBe(401)
    },
  )

  const control = guarded.filter((route) => !takesSenders(route))
  test.each(control.map((route) => ({ id: route.id, route })))(
    'that is public may not use $id',
    async ({ route }) => {
      const answer = await send(route, { key: ours.keys.public, body: '{}' })
      expect(answer.status).toBe(403)
      expectListedProblem(route, answer)
    },
  )

  const writes = guarded.filter((route) => route.access === 'write')
  test.each(writes.map((route) => ({ id: route.id, route })))(
    'for tests may not use $id',
    async ({ route }) => {
      const answer = await send(route, { key: ours.keys.test, body: '{}' })
      expect(answer.status).toBe(403)
      expectListedProblem(route, answer)
    },
  )
})

describe('hostile input', () => {
  const hostileBytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text)),
    fc
      .constantFrom(
        '',
        '{',
        '[',
        'null',
        '"',
        '{"__proto__":{"x":1}}',
        '[[[[[[[[[[[[[[]]]]]]]]]]]]]]',
        '1e999',
      )
      .map(Buffer.from),
  )

  test.each(routes.map((route) => ({ id: route.id, route })))(
    'to $id gives a listed problem or a plain answer',
    async ({ route }) => {
      const key = await credentialFor(route)
      await fc.assert(
        fc.asyncProperty(
          hostileBytes,
          fc.constantFrom('application/json', 'text/plain', 'text/xml'),
          async (body, type) => {
            const answer = await send(route, { key, body, type })
            if (answer.status >= 400) expectListedProblem(route, answer)
            expect(answer.status).toBeLessThan(500)
          },
        ),
        // Few routes read what comes with a GET, and every answer may cost a statement. `npm run fuzz` sends more.
        { numRuns: runs(route.method === 'GET' ? 2 : 5) },
      )
    },
  )

  const withParameters = routes.filter((route) => route.path.includes(':'))
  test.each(withParameters.map((route) => ({ id: route.id, route })))(
    'in the path of $id is only ever not found',
    async ({ route }) => {
      const key = await credentialFor(route)
      await fc.assert(
        fc.asyncProperty(fc.string({ minLength: 1, maxLength: 120, unit: anyCharacter }), async (text) => {
          const path = route.path.replace(/:[A-Za-z_]+/g, () => encodeURIComponent(text.toWellFormed()))
          const answer = await send(route, { key, body: '{}', path })
          if (answer.status >= 400)
            expectListedProblem(
              { ...route, problems: [...route.problems, 'not-found', 'method-not-allowed'] },
              answer,
            )
          expect(answer.status).toBeLessThan(500)
        }),
        { numRuns: runs(3) },
      )
    },
  )

  const withQuery = routes.filter((route) => route.query !== undefined)
  test.each(withQuery.map((route) => ({ id: route.id, route })))(
    'in the query of $id is reported as such',
    async ({ route }) => {
      const key = await credentialFor(route)
      const names = [...Object.keys(route.query?.properties ?? {}), 'unknown', '__proto__', 'a[]']
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom(...names), fc.string({ maxLength: 60, unit: anyCharacter })), {
            maxLength: 6,
          }),
          async (pairs) => {
            const query = new URLSearchParams(
              pairs.map(([name, value]): [string, string] => [name, value.toWellFormed()]),
            )
            const path = `${route.path.replace(/:[A-Za-z_]+/g, 'none_such')}?${query}`
            const answer = await send(route, { key, path })
            if (answer.status >= 400) expectListedProblem(route, answer)
            expect(answer.status).toBeLessThan(500)
          },
        ),
        { numRuns: runs(4) },
      )
    },
  )
})

describe('addresses', () => {
  test('that do not exist are not found, and existing ones name their methods', async () => {
    const missing = await fetch(`${world.product.url}/v1/none`)
    expect(missing.status).toBe(404)
    const wrongMethod = await fetch(`${world.product.url}/v1/track`)
    expect(wrongMethod.status).toBe(405)
    expect(wrongMethod.headers.get('allow')).toBe('POST')
    expect(await wrongMethod.json()).toMatchObject({
      status: 405,
      type: expect.stringContaining('/problems/method-not-allowed'),
    })
  })

  test('of every problem type lead to its page', async () => {
    for (const slug of Object.keys(problems)) {
      const page = await fetch(`${world.product.url}/problems/${slug}`)
      expect(page.status, slug).toBe(200)
      expect(await page.text()).toContain('<h1')
    }
  })

  test('of the probes answer', async () => {
    expect(await (await fetch(`${world.product.url}/healthz`)).json()).toEqual({ status: 'ok' })
    expect(await (await fetch(`${world.product.url}/readyz`)).json()).toMatchObject({ status: 'ready' })
    expect(await (await fetch(`${world.product.url}/metrics`)).text()).toContain('assay_log_pending_bytes')
    const description = await (await fetch(`${world.product.url}/openapi.json`)).json()
    expect(description).toMatchObject({ openapi: '3.1.0', paths: { '/v1/track': expect.anything() } })
  })
})
