import { createWebhookConnection, listWebhookDeliveries, webhookLimits } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signers } from '../../../sdk/server/src/webhooks/testing/signers.ts'
import { newId } from '../platform/clock.ts'
import { anyCharacter } from '../testing/any-character.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'
import { evictReportsBeyond } from './delivery-store.ts'

let world: World
let shop: TestWorkspace
let url: string
let connectionId: string
beforeAll(async () => {
  world = await startWorld({ control: 'embedded', config: { ingestEventsPerSecond: 1e6 } })
  shop = await world.newWorkspace()
  const body = { provider: 'stripe' as const, site_id: shop.siteId, secrets: [signers.stripe.secret] }
  const made = (await shop.call(createWebhookConnection, { body })).body
  url = made.url
  connectionId = made.id
})
afterAll(() => world?.close())

async function deliver(text: string): Promise<number> {
  const { headers, body } = signers.stripe.sign(text, signers.stripe.secret, Date.now())
  const sent = { 'content-type': 'application/json', ...headers }
  return (await fetch(url, { method: 'POST', headers: sent, body })).status
}

const listed = async () => (await shop.call(listWebhookDeliveries, { query: { limit: 1 } })).body.data[0]

test('a signed body of any depth, time, amount or id is taken and listed', async () => {
  const event = { id: 'evt_1', object: 'event', type: 'payout.paid', created: 1_780_000_000, livemode: true }
  const deep = `{"id":"evt_deep","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const texts = [
    deep,
    'no JSON',
    '[]',
    'null',
    JSON.stringify({ ...event, created: 1e300, data: { object: {} } }),
    JSON.stringify({ ...event, id: 'evt_2', created: -1e300, data: { object: { id: 'x\0y\ud800' } } }),
    `{"id":"evt_3","type":"checkout.session.completed","created":1,"livemode":true,"data":{"object":{"id":"cs","mode":"payment","payment_status":"paid","amount_total":1e400,"currency":"eur"}}}`,
  ]
  for (const text of texts) expect(await deliver(text), text.slice(0, 80)).toBe(200)
  expect(await deliver(deep.replace('evt_deep', 'evt_deeper'))).toBe(200)
  expect(await listed()).toMatchObject({ status: 'unmapped', reason: 'unreadable' })
})

test('whatever a vendor signs is answered 200', async () => {
  const types = [
    'checkout.session.completed',
    'customer.subscription.updated',
    'charge.refunded',
    'invoice.paid',
    'x',
  ]
  const object = fc.oneof(
    fc.anything({ maxDepth: 3, withNullPrototype: false }),
    fc.dictionary(
      fc.constantFrom(
        'id',
        'amount_total',
        'amount',
        'currency',
        'customer',
        'items',
        'status',
        'created',
        'mode',
      ),
      fc.oneof(fc.jsonValue(), fc.double(), fc.string({ unit: anyCharacter })),
    ),
  )
  const event = fc.record({
    id: fc.oneof(fc.string(), fc.constant(null), fc.double()),
    type: fc.constantFrom(...types),
    created: fc.oneof(fc.double(), fc.integer(), fc.string()),
    livemode: fc.boolean(),
    data: fc.record({ object }),
  })
  await fc.assert(
    fc.asyncProperty(event, async (value) => {
      const text = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
      expect(await deliver(text)).toBe(200)
    }),
    { numRuns: 60 },
  )
}, 120_000)

test('of deliveries of which nothing was made the newest are kept, within a number and a size', async () => {
  for (const nth of [1, 2, 3, 4]) expect(await deliver(`unreadable ${nth} ${newId('evt')}`)).toBe(200)
  const { control } = world.product.deps
  const whose = { workspaceId: shop.workspaceId, connectionId }
  const kept = async () =>
    (
      await control.query(
        'SELECT id FROM webhook_deliveries WHERE payload IS NOT NULL AND connection_id = $1',
        [connectionId],
      )
    ).length
  await evictReportsBeyond(control, whose, { rows: 3, bytes: webhookLimits.keptBytesMax })
  expect(await kept()).toBe(3)
  await evictReportsBeyond(control, { ...whose, workspaceId: newId('ws') }, { rows: 0, bytes: 0 })
  expect(await kept()).toBe(3)
  await evictReportsBeyond(control, whose, { rows: 3, bytes: 1 })
  expect(await kept()).toBe(0)
})
