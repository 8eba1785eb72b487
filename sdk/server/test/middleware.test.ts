import type { Server } from 'node:http'
import { createTestClient } from '@assay/server/testing'
import { serve } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { trackerOf as trackerOfExpress, watchExpress } from '../src/middleware/express.ts'
import { trackerOf as trackerOfFastify, watchFastify } from '../src/middleware/fastify.ts'
import { trackerOf as trackerOfHono, watchHono } from '../src/middleware/hono.ts'

/** The same small application in each framework, with the real client and the real gate behind it. */
type Application = { url: string; captured: ReturnType<typeof createTestClient>; close: () => void }

const page = '<!doctype html><title>x</title>'
const now = Date.UTC(2026, 7, 1)
const clock = { ms: now }
const common = {
  apiCalls: true,
  visitorSecret: 'secret',
  now: () => clock.ms,
  ignore: (path: string) => path === '/healthz',
}
/** The user is in a header here, as a session would give it. */
const identityOf = (user: string | undefined) => {
  if (user === 'broken') throw new Error('the session store is down')
  return user === undefined ? undefined : { userId: user }
}
const consentOf = (said: string | undefined) =>
  said === undefined
    ? undefined
    : { analytics_storage: said === 'granted' ? ('granted' as const) : ('denied' as const) }

async function startExpress(): Promise<Application> {
  const captured = createTestClient({ now: () => clock.ms })
  const assay = watchExpress({
    ...common,
    client: captured.client,
    identity: ({ headers }) => identityOf(headers['x-user']?.toString()),
    consent: ({ headers }) => consentOf(headers['x-consent']?.toString()),
  })
  const app = express()
  app.use(assay.requests)
  app.get('/page', (_request, response) => void response.type('html').send(page))
  app.get('/users/:id', (request, response) => {
    trackerOfExpress(request)?.track({ event: '$search', properties: { query: 'by hand' } })
    response.json({ ok: true })
  })
  app.get('/healthz', (_request, response) => void response.json({}))
  app.get('/throws', () => {
    throw new TypeError('it broke')
  })
  app.use(assay.errors)
  app.use(
    (_error: unknown, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
      response.status(500).end()
    },
  )
  const server: Server = await new Promise((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening))
  })
  return { url: urlOf(server), captured, close: () => server.close() }
}

async function startFastify(): Promise<Application> {
  const captured = createTestClient({ now: () => clock.ms })
  const app = Fastify({ logger: false })
  watchFastify(app, {
    ...common,
    client: captured.client,
    identity: ({ headers }) => identityOf(headers['x-user']?.toString()),
    consent: ({ headers }) => consentOf(headers['x-consent']?.toString()),
  })
  app.get('/page', (_request, reply) => reply.type('text/html').send(page))
  app.get('/users/:id', async (request) => {
    trackerOfFastify(request)?.track({ event: '$search', properties: { query: 'by hand' } })
    return { ok: true }
  })
  app.get('/healthz', async () => ({}))
  app.get('/throws', async () => {
    throw new TypeError('it broke')
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, captured, close: () => void app.close() }
}

async function startHono(): Promise<Application> {
  const captured = createTestClient({ now: () => clock.ms })
  const app = new Hono()
  app.use(
    watchHono({
      ...common,
      client: captured.client,
      identity: ({ req }) => identityOf(req.header('x-user')),
      consent: ({ req }) => consentOf(req.header('x-consent')),
      route: ({ req }) => (req.path.startsWith('/users/') ? '/users/:id' : req.path),
      ip: () => '127.0.0.1',
    }),
  )
  app.get('/page', (context) => context.html(page))
  app.get('/users/:id', (context) => {
    trackerOfHono(context)?.track({ event: '$search', properties: { query: 'by hand' } })
    return context.json({ ok: true })
  })
  app.get('/healthz', (context) => context.json({}))
  app.get('/throws', () => {
    throw new TypeError('it broke')
  })
  app.onError((_error, context) => context.text('', 500))
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { url: `http://127.0.0.1:${port}`, captured, close: () => void server.close() }
}

function urlOf(server: Server): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

describe.each([
  { name: 'Express', start: startExpress },
  { name: 'Fastify', start: startFastify },
  { name: 'Hono', start: startHono },
])('in $name', ({ start }) => {
  let app: Application
  beforeAll(async () => {
    app = await start()
  })
  afterAll(() => app?.close())

  /** Events of one request; the middleware may send them just after the answer. */
  async function visit(path: string, headers: Record<string, string> = {}, count = 1) {
    app.captured.clear()
    const response = await fetch(`${app.url}${path}`, { headers })
    await response.text()
    const deadline = Date.now() + 30_000
    for (;;) {
      const events = await app.captured.captured()
      if (events.length >= count || Date.now() > deadline) return { status: response.status, events }
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  test('a page is a page view of the person that the application names, with their location', async () => {
    const headers = {
      'x-user': 'u1',
      'user-agent': 'Test/1.0',
      referer: 'https://search.example/',
      'accept-language': 'de-CH,de;q=0.9',
    }
    const { events } = await visit('/page?a=1', headers)
    expect(events).toMatchObject([
      {
        name: '$pageview',
        outcome: 'accept',
        userId: 'u1',
        properties: { url: `${app.url}/page?a=1`, title: '/page', referrer: 'https://search.example/' },
        wire: {
          context: {
            userAgent: 'Test/1.0',
            locale: 'de-CH',
            ip: expect.stringContaining('127.0.0.1'),
            page: { path: '/page', referrer: 'https://search.example/' },
          },
        },
      },
    ])
  })

  test('any other call is an API call by its pattern, and the application tracks by hand', async () => {
    const { events } = await visit('/users/7', { 'x-user': 'u1' }, 2)
    expect(events.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['$search', 'accept'],
      ['api_call', 'accept'],
    ])
    expect(events[1]?.properties).toMatchObject({
      method: 'GET',
      route: '/users/:id',
      status: 200,
      duration_ms: 0,
    })
    expect(events[0]?.userId).toBe('u1')
  })

  test('what the application throws is an error, and the application answers it as ever', async () => {
    const { status, events } = await visit('/throws', { 'x-user': 'u1' }, 2)
    expect(status).toBe(500)
    expect(events.find(({ name }) => name === 'error')).toMatchObject({
      outcome: 'accept',
      properties: { message: 'it broke', name: 'TypeError', handled: false, tags: { method: 'GET' } },
    })
    expect(events.find(({ name }) => name === 'api_call')?.properties.status).toBe(500)
  })

  test('unknown visitors are recognised by a hash that lasts a day', async () => {
    const who = async (agent: string) =>
      (await visit('/page', { 'user-agent': agent })).events[0]?.anonymousId
    clock.ms = now
    const [ada, bob] = [await who('Ada'), await who('Bob')]
    expect(ada).toMatch(/^day_[0-9a-f]{32}$/)
    expect(bob).not.toBe(ada)
    expect(await who('Ada')).toBe(ada)
    clock.ms = now + 86_400_000
    expect(await who('Ada')).not.toBe(ada)
    clock.ms = now
  })

  test('an identity that cannot be found costs nothing but itself', async () => {
    const { status, events } = await visit('/page', { 'x-user': 'broken' })
    expect(status).toBe(200)
    expect(events[0]?.anonymousId).toMatch(/^day_/)
  })

  test('consent and the privacy signal go with every event', async () => {
    const { events } = await visit('/page', { 'x-consent': 'denied', 'sec-gpc': '1' })
    expect(events[0]?.wire.context).toMatchObject({ consent: { analytics_storage: 'denied', gpc: true } })
    const plain = await visit('/page')
    expect(plain.events[0]?.wire.context).not.toHaveProperty('consent')
  })

  test('what is to be ignored is', async () => {
    await visit('/healthz', {}, 0)
    const { events } = await visit('/page')
    expect(events.map(({ name }) => name)).toEqual(['$pageview'])
  })
})
