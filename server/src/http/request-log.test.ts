import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { newId } from '../platform/clock.ts'
import { nodeRoles } from '../platform/node/node-roles.ts'
import { type LogEntry, recordLog } from '../testing/recorded-log.ts'
import { createApplication } from './application.ts'
import { createLimits } from './limits/limits.ts'

const calls = { apiRead: 1, apiWrite: 1, controlRead: 1, controlWrite: 1, person: 1, signIn: 1, open: 1e9 }

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** An application that throws what a test wants. */
async function loggedApplication(logRequests: boolean) {
  const { logger, entries } = recordLog()
  let count = 0
  const app = await createApplication({
    limits: createLimits(Date.now, { eventsPerSecond: 1, eventsPerSecondPerAddress: 1 }, calls),
    firstSite: async () => null,
    errorsUrl: () => 'https://assay.example/problems',
    publicUrl: () => 'https://assay.example',
    now: () => 0,
    newRequestId: () => `req_${count++}`,
    proxies: 0,
    logger,
    logRequests,
    roles: nodeRoles,
    isDraining: () => false,
  })
  closers.push(() => app.close())
  let thrown: unknown
  app.all('/v1/sites/:id', async () => ({ done: true }))
  app.post('/v1/webhooks/:token', async () => ({ done: true }))
  app.get('/throws', async () => Promise.reject(thrown))
  app.get('/breaks', async (_request, reply) => {
    const stream = new Readable({ read() {} })
    stream.push('a part')
    reply.raw.once('pipe', () => setImmediate(() => stream.destroy(new RangeError('torn'))))
    return reply.send(stream)
  })
  const willThrow = (error: unknown) => {
    thrown = error
  }
  return { app, entries, willThrow }
}

describe('a request that ends in 500', () => {
  test.each([false, true])('is logged once, with its id and the stack; requests logged: %s', async (all) => {
    const { app, entries, willThrow } = await loggedApplication(all)
    const error = fc.oneof(
      fc.string().map((message) => new TypeError(message)),
      fc.string().map((message) => Object.assign(new RangeError(message), { code: 'X' })),
      fc.string().map((message) => new Error('outer', { cause: new Error(message) })),
    )
    await fc.assert(
      fc.asyncProperty(error, async (one) => {
        entries.length = 0
        willThrow(one)
        const answer = await app.inject({ url: '/throws' })
        expect(answer.statusCode).toBe(500)
        const errors = entries.filter(({ level }) => level !== 'info')
        expect(errors).toMatchObject([
          { level: 'error', component: 'http', method: 'GET', path: '/throws', message: 'Unexpected error' },
        ])
        expect(errors[0]?.requestId).toBe(answer.json().instance)
        expect(errors[0]?.stack).toContain(one.stack)
        expect(entries).toHaveLength(all ? 2 : 1)
      }),
    )
  })

  test('no refusal is logged as one', async () => {
    const { app, entries } = await loggedApplication(false)
    expect((await app.inject({ url: '/nowhere' })).statusCode).toBe(404)
    expect((await app.inject({ url: '/v1/sites/%zz' })).statusCode).toBe(400)
    expect(entries).toEqual([])
  })
})

test('an answer that breaks after its head is logged, since its status says nothing of it', async () => {
  const { app, entries } = await loggedApplication(false)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  await expect(fetch(`${url}/breaks`).then((answer) => answer.text())).rejects.toThrow()
  expect(entries).toMatchObject([
    { level: 'error', component: 'http', path: '/breaks', kind: 'RangeError', requestId: 'req_0' },
  ])
})

describe('the log of requests', () => {
  /** The product itself never writes this text. */
  const secret = fc.stringMatching(/^[a-zA-Z0-9_-]{24}$/).map((text) => `zq${text}`)
  const place = fc.constantFrom('path', 'unknown path', 'query', 'authorization', 'cookie', 'x-key', 'body')

  type Sent = { where: string; secret: string; siteId: string }
  const send = async (
    { where, secret: hidden, siteId }: Sent,
    app: Awaited<ReturnType<typeof loggedApplication>>['app'],
  ) => {
    const url =
      where === 'path'
        ? `/v1/webhooks/${hidden}`
        : where === 'unknown path'
          ? `/${hidden}/x`
          : `/v1/sites/${siteId}${where === 'query' ? `?token=${hidden}&${hidden}=1` : ''}`
    const headers = {
      'content-type': 'application/json',
      ...(where === 'authorization' && { authorization: `Bearer ${hidden}` }),
      ...(where === 'cookie' && { cookie: `session=${hidden}` }),
      ...(where === 'x-key' && { 'x-key': hidden, [hidden]: 'x' }),
    }
    return app.inject({ method: 'POST', url, headers, payload: JSON.stringify({ [hidden]: hidden }) })
  }

  test('has one entry for each, in which no credential is, wherever it was sent', async () => {
    const { app, entries } = await loggedApplication(true)
    await fc.assert(
      fc.asyncProperty(place, secret, async (where, hidden) => {
        entries.length = 0
        const siteId = newId('site')
        const answer = await send({ where, secret: hidden, siteId }, app)
        const path =
          where === 'path' ? '/v1/webhooks/:token' : where === 'unknown path' ? 'none' : `/v1/sites/${siteId}`
        const expected: Partial<LogEntry> = {
          level: 'info',
          component: 'http',
          method: 'POST',
          path,
          status: answer.statusCode,
          message: 'Request answered',
        }
        expect(entries).toMatchObject([
          { ...expected, requestId: expect.any(String), ms: expect.any(Number) },
        ])
        expect(JSON.stringify(entries)).not.toContain(hidden)
      }),
    )
  })

  test('is empty unless asked for', async () => {
    const { app, entries } = await loggedApplication(false)
    await app.listen({ host: '127.0.0.1', port: 0 })
    await send({ where: 'query', secret: 'secret', siteId: newId('site') }, app)
    expect(entries).toEqual([])
  })
})
