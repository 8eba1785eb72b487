/** `npx bun run examples/hono-bun/server.ts`, with a running product. */
import { createClient } from '@assay/server'
import { trackerOf, watchHono } from '@assay/server/hono'
import { Hono } from 'hono'
import { serverProduct } from '../product.ts'

const { url, secretKey } = serverProduct()
const client = createClient({ key: secretKey, url })
const app = new Hono()

app.use(
  watchHono({
    client,
    identity: ({ req }) => {
      const userId = req.header('x-user')
      return userId === undefined ? undefined : { userId }
    },
  }),
)
app.get('/', (context) => context.html('<!doctype html><title>Search</title>'))
app.get('/search', (context) => {
  const query = context.req.query('q') ?? ''
  trackerOf(context)?.track({ event: '$search', properties: { query, result_count: 0 } })
  return context.json([])
})

process.once('SIGTERM', async () => {
  await client.close()
  process.exit(0)
})

// Bun serves what a module exports by default.
export default { port: Number(process.env.PORT ?? 4503), hostname: '127.0.0.1', fetch: app.fetch }
