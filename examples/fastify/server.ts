/** `npx node examples/fastify/server.ts`, with a running product: an API that tracks its calls and sign-ups. */
import { createClient } from '@assay/server'
import { trackerOf, watchFastify } from '@assay/server/fastify'
import Fastify from 'fastify'
import { type ServerProduct, serverProduct } from '../product.ts'

export async function openApi({ url, secretKey }: ServerProduct, port: number) {
  const client = createClient({ key: secretKey, url })
  const app = Fastify()
  watchFastify(app, {
    client,
    apiCalls: true,
    identity: ({ headers }) => (headers['x-user'] ? { userId: String(headers['x-user']) } : undefined),
    consent: ({ headers }) => (headers['x-no-tracking'] ? { analytics_storage: 'denied' } : undefined),
    ignore: (path) => path === '/healthz',
  })
  // Sends what waits when the application ends.
  app.addHook('onClose', async () => void (await client.close()))

  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/users/:id', async (request) => request.params)
  app.post('/users', async (request, reply) => {
    trackerOf(request)?.track({ event: '$signup', properties: { method: 'email' } })
    return reply.code(201).send({ ok: true })
  })

  const address = await app.listen({ host: '127.0.0.1', port })
  return { address, close: () => app.close() }
}

if (import.meta.main) {
  const { address, close } = await openApi(serverProduct(), 4502)
  console.log(`The API listens at ${address}`)
  process.once('SIGTERM', () => void close())
}
