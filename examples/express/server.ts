/**
 * `npx node examples/express/server.ts`, with a running product: a shop that tracks its pages, orders and errors.
 */
import type { Server } from 'node:http'
import { createClient } from '@assay/server'
import { trackerOf, watchExpress } from '@assay/server/express'
import express from 'express'
import { type ServerProduct, serverProduct } from '../product.ts'

export async function openShop({ url, secretKey }: ServerProduct, port: number) {
  const client = createClient({
    key: secretKey,
    url,
    onError: (loss) => console.warn('not delivered:', loss),
  })
  const assay = watchExpress({
    client,
    // The signed-in user, from your session.
    identity: ({ headers }) => (headers['x-user'] ? { userId: String(headers['x-user']) } : undefined),
  })

  const app = express()
  app.use(assay.requests, express.json())
  app.get('/', (_request, response) => {
    response.type('html').send('<!doctype html><title>Shop</title><h1>Shop</h1>')
  })
  app.post('/orders', (request, response) => {
    const { id, amount } = request.body
    trackerOf(request)?.track({ event: '$purchase', properties: { amount, currency: 'EUR', order_id: id } })
    response.status(201).json({ id })
  })
  app.get('/broken', () => {
    throw new Error('out of stock')
  })
  app.use(assay.errors)

  const server: Server = await new Promise((resolve) => {
    const listening = app.listen(port, '127.0.0.1', () => resolve(listening))
  })
  const close = async () => {
    server.close()
    // The last call: what waits is sent before the process ends.
    return client.close({ timeoutMs: 5_000 })
  }
  return { server, close }
}

if (import.meta.main) {
  const { close } = await openShop(serverProduct(), 4501)
  console.log('The shop is open at http://127.0.0.1:4501')
  process.once('SIGTERM', () => void close())
}
