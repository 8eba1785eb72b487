/**
 * `STRIPE_SECRET=whsec_… npx node examples/stripe-webhooks/server.ts`, with a running product: your own endpoint
 * that verifies Stripe's webhooks and tracks their events. The product can also receive them itself:
 * docs/webhooks.md.
 */
import { createServer } from 'node:http'
import { createClient } from '@assay/server'
import { receiveWebhook } from '@assay/server/webhooks'
import { type ServerProduct, serverProduct } from '../product.ts'

export async function openEndpoint(
  { url, secretKey }: ServerProduct,
  secrets: readonly string[],
  port: number,
) {
  const client = createClient({ key: secretKey, url })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    // The bytes as they came: a parsed and rewritten body has another signature.
    const received = await receiveWebhook('stripe', Buffer.concat(chunks), request.headers, { secrets })
    if (!received.ok) {
      response.writeHead(401).end(received.detail)
      return
    }
    try {
      // Answered only when it is stored, so that Stripe comes again otherwise. Twice counts once.
      await client.api.batch({ body: { batch: [...received.events] } })
      response.writeHead(200).end()
    } catch (problem) {
      response.writeHead(503).end(String(problem))
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { server, close: () => server.close() }
}

if (import.meta.main) {
  const secret = process.env.STRIPE_SECRET
  if (secret === undefined) throw new Error('Set STRIPE_SECRET to the signing secret of the endpoint.')
  await openEndpoint(serverProduct(), [secret], 4505)
  console.log('Stripe may deliver to http://127.0.0.1:4505')
}
