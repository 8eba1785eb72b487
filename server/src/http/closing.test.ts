import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { silentLogger } from '../platform/logging/logger.ts'
import { nodeRoles } from '../platform/node/node-roles.ts'
import { createApplication } from './application.ts'
import { createLimits } from './limits/limits.ts'

const calls = { apiRead: 1, apiWrite: 1, controlRead: 1, controlWrite: 1, person: 1, signIn: 1, open: 600 }

/** An application with one route, which answers on command, and a connection that calls it. */
async function slowApplication() {
  const app = await createApplication({
    limits: createLimits(Date.now, { eventsPerSecond: 1, eventsPerSecondPerAddress: 1 }, calls),
    firstSite: async () => null,
    errorsUrl: () => 'https://assay.example/problems',
    publicUrl: () => 'https://assay.example',
    now: () => 0,
    newRequestId: () => 'req_1',
    proxies: 0,
    logger: silentLogger,
    logRequests: false,
    roles: nodeRoles,
    isDraining: () => false,
  })
  const [entered, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  app.get('/slow', async () => {
    entered.resolve()
    await finish.promise
    return { done: true }
  })
  const stopping = Promise.withResolvers<void>()
  app.addHook('preClose', (done) => {
    stopping.resolve()
    done()
  })
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(url.port), url.hostname)
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const ask = () => socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  ask()
  await entered.promise
  return { app, socket, ask, finish: finish.resolve, stopping: stopping.promise, said: () => text }
}

test('a stop does not wait for a client that keeps its connection after the answer', async () => {
  const { app, socket, finish, stopping, said } = await slowApplication()
  const closed = app.close()
  await stopping
  const begunMs = performance.now()
  finish()
  await once(socket, 'close')
  await closed
  expect(said()).toContain('{"done":true}')
  expect(performance.now() - begunMs).toBeLessThan(30_000)
})

test('a request that comes while the product stops is refused by a problem, and one before it is answered', async () => {
  const { app, socket, ask, finish, stopping, said } = await slowApplication()
  const closed = app.close()
  await stopping
  ask()
  finish()
  await once(socket, 'close')
  await closed
  const [first = '', second = ''] = said().split(/(?=HTTP\/1\.1 \d{3})/)
  expect(first).toContain('{"done":true}')
  expect(second).toMatch(/^HTTP\/1\.1 503 /)
  expect(second).toContain('application/problem+json')
  expect(second).toContain('"type":"https://assay.example/problems/unavailable"')
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']) {
    expect(second.toLowerCase()).toContain(`${name}: `)
  }
})
