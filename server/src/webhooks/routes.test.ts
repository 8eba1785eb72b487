import {
  createContract,
  createWebhookConnection,
  deleteWebhookConnection,
  getReceipt,
  getWebhookDelivery,
  listWebhookConnections,
  listWebhookDeliveries,
  replayWebhookDelivery,
  rotateWebhookSecrets,
  type WebhookProvider,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Delivery, signers } from '../../../sdk/server/src/webhooks/testing/signers.ts'
import {
  processorCases,
  shopCases,
  stripeCases,
} from '../../../sdk/server/src/webhooks/testing/vectors/payments.ts'
import { peopleCases } from '../../../sdk/server/src/webhooks/testing/vectors/people.ts'
import { subscriptionCases } from '../../../sdk/server/src/webhooks/testing/vectors/subscriptions.ts'
import { raise, startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

const clock = { ms: Date.UTC(2026, 7, 1, 1) }
let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

type Connected = { id: string; url: string; send: Send }
type Send = (
  body: unknown,
  headers?: Record<string, string>,
  secret?: string,
) => Promise<{ status: number; body: { event_ids: string[]; duplicate: boolean } }>

async function connect(
  workspace: TestWorkspace,
  provider: WebhookProvider,
  more: object = {},
): Promise<Connected> {
  const signer = signers[provider]
  const body = { provider, site_id: workspace.siteId, secrets: [signer.secret], ...more }
  const { body: connection, status } = await workspace.call(createWebhookConnection, { body })
  expect(status).toBe(201)
  const send: Send = (payload, headers = {}, secret = signer.secret) => {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    return post(connection.url, signer.sign(text, secret, clock.ms), headers)
  }
  return { id: connection.id, url: connection.url, send }
}

async function post(url: string, delivery: Delivery, more: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more, ...delivery.headers },
    body: delivery.body,
  })
  const body = JSON.parse(await response.text())
  return { status: response.status, body }
}

const deliveries = async (workspace: TestWorkspace, query: object = {}) =>
  (await workspace.call(listWebhookDeliveries, { query })).body.data

const storedNames = async (workspace: TestWorkspace) => {
  await workspace.settle()
  const rows = await world.product.deps.events.query<{
    name: string
    amount: number | null
    endpoint: string
    order_id: string
  }>(
    `SELECT name, toFloat64OrNull(toString(amount)) AS amount, endpoint,
       JSONExtractString(properties, 'order_id') AS order_id
     FROM events WHERE workspace_id = {ws:String} ORDER BY ts, name`,
    { ws: workspace.workspaceId },
  )
  return rows
}

const stripeEvent = (type: string, object: object, more: object = {}) => ({
  id: `evt_${Math.random()}`,
  object: 'event',
  type,
  created: clock.ms / 1000,
  livemode: true,
  data: { object },
  ...more,
})
const session = (id: string, amount = 1999) => ({
  id,
  mode: 'payment',
  payment_status: 'paid',
  amount_total: amount,
  currency: 'eur',
  client_reference_id: 'u_17',
})

describe('a connection', () => {
  test('answers the address to register, and never shows its secrets again', async () => {
    const secrets = ['whsec_very-secret']
    const created = await shop.call(createWebhookConnection, {
      body: { provider: 'stripe', site_id: shop.siteId, secrets },
    })
    expect(created.body).toMatchObject({ provider: 'stripe', site_id: shop.siteId, secrets_in_force: 1 })
    expect(created.body.url).toBe(`${world.product.url}/v1/webhook/stripe?connection=${created.body.id}`)
    const listed = await shop.call(listWebhookConnections, { query: {} })
    expect(listed.body.data.map(({ id }) => id)).toContain(created.body.id)
    const rows = await world.product.deps.control.query('SELECT * FROM webhook_connections')
    for (const said of [created.body, listed.body, rows])
      expect(JSON.stringify(said)).not.toContain('very-secret')
  })

  test.each([
    { provider: 'stripe', secrets: [] },
    { provider: 'stripe', secrets: [''] },
    { provider: 'woocommerce', secrets: ['ok', ' '] },
    { provider: 'adyen', secrets: ['not hexadecimal'] },
    { provider: 'chargebee', secrets: ['no-colon'] },
    { provider: 'clerk', secrets: ['whsec_'] },
    { provider: 'standard', secrets: ['whpk_'] },
    { provider: 'sendgrid', secrets: ['not a key'] },
    { provider: 'stripe', secrets: Array.from({ length: 6 }, (_, count) => `s${count}`) },
    { provider: 'nobody', secrets: ['x'] },
  ])('with $provider and $secrets is refused', async (wanted) => {
    const body = Object({ ...wanted, site_id: shop.siteId })
    const answer = await shop.call(createWebhookConnection, { body })
    expect(answer.status).toBe(422)
  })

  test('is not made on a site of another workspace', async () => {
    const other = await world.newWorkspace()
    const body = { provider: 'stripe' as const, site_id: other.siteId, secrets: ['x'] }
    expect((await shop.call(createWebhookConnection, { body })).status).toBe(404)
  })

  test('accepts the old secret in addition to the new one for as long as it is kept, and no longer', async () => {
    const { id, send } = await connect(shop, 'stripe')
    const params = { id }
    const rotated = await shop.call(rotateWebhookSecrets, {
      params,
      body: { secrets: ['whsec_new'], keep_previous_hours: 2 },
    })
    expect(rotated.body).toMatchObject({ secrets_in_force: 2, rotated_at: expect.any(String) })
    const event = () => stripeEvent('payout.paid', { id: 'po' })
    expect((await send(event())).status).toBe(200)
    expect((await send(event(), {}, 'whsec_new')).status).toBe(200)
    clock.ms += 2 * 3_600_000
    expect((await send(event())).status).toBe(401)
    expect((await send(event(), {}, 'whsec_new')).status).toBe(200)
    const again = await shop.call(rotateWebhookSecrets, {
      params,
      body: { secrets: ['whsec_3'], keep_previous_hours: 0 },
    })
    expect(again.body.secrets_in_force).toBe(1)
    expect((await send(event(), {}, 'whsec_new')).status).toBe(401)
  })

  test('that was deleted takes nothing more, and what it brought stays listed', async () => {
    const { id, send } = await connect(shop, 'stripe')
    await send(stripeEvent('payout.paid', { id: 'po' }))
    expect((await shop.call(deleteWebhookConnection, { params: { id } })).status).toBe(204)
    expect((await send(stripeEvent('payout.paid', { id: 'po' }))).status).toBe(404)
    expect((await shop.call(deleteWebhookConnection, { params: { id } })).status).toBe(404)
    expect(await deliveries(shop, { connection_id: id })).toHaveLength(1)
  })
})

describe('a delivery', () => {
  test('to an unknown provider, an unknown connection, or one of another provider is not found', async () => {
    const { id, url } = await connect(shop, 'stripe')
    const base = world.product.url
    const good = signers.stripe.sign('{}', signers.stripe.secret, clock.ms)
    for (const address of [
      `${base}/v1/webhook/nobody?connection=${id}`,
      `${base}/v1/webhook/stripe?connection=con_none`,
      `${base}/v1/webhook/stripe`,
      `${base}/v1/webhook/paddle?connection=${id}`,
      `${base}/v1/webhook/stripe?connection=%00`,
    ]) {
      expect((await post(address, good)).status).toBe(404)
    }
    expect((await post(url, good)).status).toBe(200)
  })

  test('that is not signed, or by someone else, is refused and leaves nothing', async () => {
    const { id, url, send } = await connect(shop, 'stripe')
    const body = JSON.stringify(stripeEvent('checkout.session.completed', session('cs_forged')))
    expect((await post(url, { body, headers: {} })).status).toBe(401)
    expect((await send(body, {}, 'whsec_other')).status).toBe(401)
    expect(await deliveries(shop, { connection_id: id })).toEqual([])
  })

  test('becomes an event like any other, with the vendor as its source', async () => {
    const workspace = await world.newWorkspace()
    const { send } = await connect(workspace, 'stripe')
    const answer = await send(stripeEvent('checkout.session.completed', session('cs_1')))
    expect(answer).toMatchObject({
      status: 200,
      body: { received: true, event_ids: ['stripe:checkout:cs_1'], duplicate: false },
    })
    expect(await storedNames(workspace)).toEqual([
      { name: '$purchase', amount: 19.99, endpoint: 'webhook:stripe', order_id: 'cs_1' },
    ])
    const receipt = await workspace.call(getReceipt, { params: { event_id: 'stripe:checkout:cs_1' } })
    expect(receipt.body).toMatchObject({
      outcome: 'accept',
      state: 'stored',
      person: { resolved_by: 'user_id' },
    })
  })

  test('counts once, by its id, by its body and by its facts', async () => {
    const workspace = await world.newWorkspace()
    const { id, send } = await connect(workspace, 'stripe')
    const event = stripeEvent('checkout.session.completed', session('cs_2'))
    const [first, ...copies] = await Promise.all([send(event), send(event), send(event)])
    expect([first, ...copies].map(({ status }) => status)).toEqual([200, 200, 200])
    clock.ms += 5_000
    expect((await send(event)).body).toEqual({
      received: true,
      event_ids: ['stripe:checkout:cs_2'],
      duplicate: true,
    })
    // Another body under the same id, and another id for the same checkout.
    expect((await send({ ...event, pending_webhooks: 3 })).body.duplicate).toBe(true)
    await send({ ...event, id: 'evt_other', type: 'checkout.session.async_payment_succeeded' })
    expect(await storedNames(workspace)).toHaveLength(1)
    const rows = await deliveries(workspace, { connection_id: id })
    expect(rows).toHaveLength(2)
    expect(rows[1]).toMatchObject({ vendor_id: event.id, status: 'accepted', repeats: expect.any(Number) })
  })

  test('that is replayed under a new unsigned id is known by its body', async () => {
    const workspace = await world.newWorkspace()
    const { send } = await connect(workspace, 'shopify')
    const order = shopCases[0]?.body
    const headers = (eventId: string) => ({ 'x-shopify-topic': 'orders/paid', 'x-shopify-event-id': eventId })
    expect((await send(order, headers('e1'))).body.duplicate).toBe(false)
    expect((await send(order, headers('e2'))).body.duplicate).toBe(true)
    expect(await storedNames(workspace)).toHaveLength(1)
  })

  test('of the product’s own test modes counts only where that was asked for', async () => {
    const workspace = await world.newWorkspace()
    const event = stripeEvent('checkout.session.completed', session('cs_t'), { livemode: false })
    const usual = await connect(workspace, 'stripe')
    expect((await usual.send(event)).body.event_ids).toEqual([])
    expect(await deliveries(workspace)).toMatchObject([{ status: 'test' }])
    const testing = await connect(workspace, 'stripe', { include_test: true })
    expect((await testing.send(event)).body.event_ids).toEqual(['stripe:checkout:cs_t'])
  })

  test('that only tries the endpoint out is answered, and makes nothing', async () => {
    const { url } = await connect(shop, 'woocommerce')
    const ping = { body: 'webhook_id=7', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await post(url, ping)).status).toBe(200)
    expect((await post(url, { ...ping, body: 'webhook_id=7&x=1' })).status).toBe(401)
    const intercom = await connect(shop, 'intercom')
    expect((await fetch(intercom.url, { method: 'HEAD' })).status).toBe(200)
    expect(
      (await fetch(`${world.product.url}/v1/webhook/intercom?connection=no`, { method: 'HEAD' })).status,
    ).toBe(404)
    await intercom.send({ topic: 'ping', id: 'n1', data: {} })
    expect(await deliveries(shop, { connection_id: intercom.id })).toMatchObject([{ status: 'handshake' }])
  })

  test('whose address is signed is verified with the one that is registered', async () => {
    const registered = await connect(shop, 'square', { registered_url: signers.square.sign('', '', 0).url })
    const body = { type: 'webhooks.test_notification', event_id: 'x' }
    expect((await registered.send(body)).status).toBe(200)
    const other = await connect(shop, 'square')
    expect((await other.send(body)).status).toBe(401)
  })
})

describe('every vendor, over the wire', () => {
  const cases = [...stripeCases, ...shopCases, ...processorCases, ...subscriptionCases, ...peopleCases]
  const providers = [...new Set(cases.map(({ provider }) => provider))]

  test.each(providers)('%s: its facts are stored or kept, and never lost', async (provider) => {
    clock.ms = Date.UTC(2026, 7, 1, 1)
    const url = signers[provider].sign(
      provider === 'adyen' ? '{"notificationItems":[]}' : '[]',
      signers[provider].secret,
      0,
    ).url
    const ofProvider = cases.filter((one) => one.provider === provider)
    const workspace = await world.newWorkspace()
    for (const { about, body, headers, events = [], left, needsMemory = false } of ofProvider) {
      const { id, send } = await connect(
        workspace,
        provider,
        url === undefined ? {} : { registered_url: url },
      )
      const answer = await send(body, headers)
      expect(answer.status, about).toBe(200)
      const rows = await deliveries(workspace, { connection_id: id })
      const isWaiting = rows.some(({ status }) => status === 'waiting')
      if (!needsMemory) expect(answer.body.event_ids, about).toHaveLength(isWaiting ? 0 : events.length)
      expect(new Set(rows.flatMap(({ event_ids }) => event_ids)).size, about).toBe(
        answer.body.event_ids.length,
      )
      const isNothing = rows.filter(({ status }) => status !== 'accepted' && status !== 'waiting')
      expect(isNothing.length > 0, about).toBe(left !== undefined && !needsMemory)
    }
  })
})

describe('what only makes sense together', () => {
  const lemon = (name: string, id: string, attributes: object) => ({
    meta: { event_name: name },
    data: {
      type: 'x',
      id,
      attributes: { updated_at: '2026-08-01T00:30:00Z', created_at: '2026-08-01T00:30:00Z', ...attributes },
    },
  })
  const order = lemon('order_created', '5', { status: 'paid', total: 999, currency: 'USD', customer_id: 3 })
  const begun = lemon('subscription_created', '7', {
    variant_name: 'Pro',
    order_id: 5,
    status: 'active',
    customer_id: 3,
  })
  const payment = lemon('subscription_payment_success', '70', {
    billing_reason: 'initial',
    subscription_id: 7,
    total: 999,
    currency: 'USD',
  })

  test.each([
    [
      ['order', 'begun', 'payment'],
      [order, begun, payment],
    ],
    [
      ['payment', 'begun', 'order'],
      [payment, begun, order],
    ],
    [
      ['begun', 'order', 'payment'],
      [begun, order, payment],
    ],
    [
      ['order', 'payment', 'begun'],
      [order, payment, begun],
    ],
  ])('Lemon Squeezy: %s is one subscription and no purchase', async (_, told) => {
    clock.ms = Date.UTC(2026, 7, 1, 1)
    const workspace = await world.newWorkspace()
    const { send } = await connect(workspace, 'lemonsqueezy')
    for (const body of told) await send(body)
    for (const body of told) await send(body)
    clock.ms += 3_600_000
    await world.product.deps.webhooks.receiving.tend(raise)
    expect(await storedNames(workspace)).toMatchObject([{ name: '$subscribe', amount: 9.99 }])
  })

  test('Lemon Squeezy: an order alone is a purchase, once it waited for a subscription that did not come', async () => {
    clock.ms = Date.UTC(2026, 7, 1, 1)
    const workspace = await world.newWorkspace()
    const { send } = await connect(workspace, 'lemonsqueezy')
    await send(order)
    const { tend } = { tend: () => world.product.deps.webhooks.receiving.tend(raise) }
    await tend()
    expect(await deliveries(workspace)).toMatchObject([
      { status: 'waiting', reason: 'may_be_a_subscription' },
    ])
    clock.ms += 11 * 60_000
    await tend()
    await tend()
    expect(await storedNames(workspace)).toMatchObject([{ name: '$purchase', amount: 9.99 }])
    expect(await deliveries(workspace)).toMatchObject([{ status: 'accepted' }])
  })

  const payment1 = { customer: 'cus_1', currency: 'eur' }
  const reports = {
    session: stripeEvent('checkout.session.completed', {
      ...payment1,
      id: 'cs_1',
      mode: 'payment',
      payment_status: 'paid',
      amount_total: 1999,
      payment_intent: 'pi_1',
      metadata: { order_id: 'o-1' },
    }),
    intent: stripeEvent('payment_intent.succeeded', { ...payment1, id: 'pi_1', amount_received: 1999 }),
    charge: stripeEvent('charge.succeeded', {
      ...payment1,
      id: 'ch_1',
      amount: 1999,
      payment_intent: 'pi_1',
    }),
    invoice: stripeEvent('invoice.paid', {
      ...payment1,
      id: 'in_1',
      amount_paid: 1999,
      billing_reason: 'manual',
    }),
    link: stripeEvent('invoice_payment.paid', { invoice: 'in_1', payment: { payment_intent: 'pi_1' } }),
    refund: stripeEvent('refund.created', {
      ...payment1,
      id: 're_1',
      amount: 500,
      status: 'succeeded',
      payment_intent: 'pi_1',
    }),
    refunded: stripeEvent('charge.refunded', {
      ...payment1,
      id: 'ch_1',
      payment_intent: 'pi_1',
      amount_refunded: 500,
    }),
  }
  type Report = keyof typeof reports

  test.each<[Report[], string]>([
    [['session', 'intent', 'charge', 'link', 'invoice', 'refund', 'refunded'], 'o-1'],
    [['charge', 'intent', 'refunded', 'invoice', 'link', 'session', 'refund'], 'o-1'],
    [['charge', 'intent', 'refund'], 'pi_1'],
    [['charge', 'refunded'], 'pi_1'],
    [['link', 'invoice', 'intent', 'refund'], 'in_1'],
  ])('Stripe: %s is one purchase with one refund', async (told, orderId) => {
    clock.ms = Date.UTC(2026, 7, 1, 1)
    const workspace = await world.newWorkspace({ currency: 'EUR' })
    const { send } = await connect(workspace, 'stripe')
    const tend = () => world.product.deps.webhooks.receiving.tend(raise)
    for (const name of [...told, ...told]) await send(reports[name])
    clock.ms += 11 * 60_000
    await tend()
    // Late: the vendor delivers again what it takes for failed, under another id.
    for (const name of told) await send({ ...reports[name], id: `evt_late_${name}` })
    clock.ms += 11 * 60_000
    await tend()
    expect((await storedNames(workspace)).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
      { name: '$purchase', amount: 19.99, order_id: orderId },
      { name: '$refund', amount: 5, order_id: orderId },
    ])
    expect((await deliveries(workspace)).filter(({ status }) => status === 'waiting')).toEqual([])
  })

  test('Stripe: names of a payment are forgotten after a year', async () => {
    clock.ms = Date.UTC(2026, 7, 1, 1)
    const workspace = await world.newWorkspace({ currency: 'EUR' })
    const { id, send } = await connect(workspace, 'stripe')
    await send(reports.session)
    const remembered = async () => {
      const sql = 'SELECT key FROM webhook_memory WHERE connection_id = $1 ORDER BY key'
      return (await world.product.deps.control.query<{ key: string }>(sql, [id])).map(({ key }) => key)
    }
    expect(await remembered()).toEqual(['payment:cs_1', 'payment:pi_1'])
    clock.ms += 401 * 86_400_000
    await world.product.deps.webhooks.receiving.tend(raise)
    expect(await remembered()).toEqual([])
  })

  test('Paddle: a change of plan is found by the previous plan, and a late delivery restores no old plan', async () => {
    clock.ms = Date.UTC(2026, 7, 1, 1)
    const workspace = await world.newWorkspace()
    const { send } = await connect(workspace, 'paddle')
    const told = (type: string, minute: number, plan: string, amount: string) => ({
      event_id: `evt_${type}_${minute}`,
      event_type: type,
      occurred_at: `2026-08-01T00:${minute}:00Z`,
      data: {
        id: 'sub_1',
        status: 'active',
        customer_id: 'ctm',
        items: [{ quantity: 1, price: { id: plan, unit_price: { amount, currency_code: 'USD' } } }],
      },
    })
    await send(told('subscription.created', 10, 'solo', '1000'))
    await send(told('subscription.updated', 30, 'team', '5000'))
    await send(told('subscription.updated', 20, 'solo', '1000'))
    await send(told('subscription.updated', 30, 'team', '5000'))
    expect((await storedNames(workspace)).map(({ name }) => name)).toEqual(['$subscribe', '$upgrade'])
    const rows = await deliveries(workspace)
    expect(rows.map(({ status, reason }) => reason ?? status)).toEqual(['incomplete', 'accepted', 'accepted'])
  })

  test('a trial is a start without revenue, until it is paid for', async () => {
    clock.ms = Date.UTC(2026, 7, 1, 1)
    const workspace = await world.newWorkspace({ currency: 'EUR' })
    const { send } = await connect(workspace, 'stripe')
    const item = { quantity: 1, price: { id: 'pro', unit_amount: 2000, currency: 'eur' } }
    await send(
      stripeEvent('customer.subscription.created', {
        id: 's1',
        status: 'trialing',
        customer: 'c',
        items: { data: [item] },
      }),
    )
    await send(
      stripeEvent('invoice.paid', {
        id: 'in',
        billing_reason: 'subscription_cycle',
        amount_paid: 2000,
        currency: 'eur',
        customer: 'c',
      }),
    )
    // Revenue is the sum of this column.
    expect(await storedNames(workspace)).toMatchObject([
      { name: '$purchase', amount: 20 },
      { name: '$subscribe', amount: null },
    ])
  })
})

describe('what no rule maps', () => {
  test('is kept with what was sent, can be found, and counts once a contract knows it', async () => {
    clock.ms = Date.UTC(2026, 7, 1, 1)
    const workspace = await world.newWorkspace()
    const { id, send } = await connect(workspace, 'stripe')
    await send(
      stripeEvent('payout.paid', { id: 'po_1', amount: 500, customer: 'cus_1', metadata: { a: 'b' } }),
    )
    await send(stripeEvent('checkout.session.completed', session('cs_3')))
    const [kept] = await deliveries(workspace, { status: 'unmapped' })
    expect(kept).toMatchObject({ type: 'payout.paid', reason: 'no_rule', event_ids: [], connection_id: id })
    const params = { id: kept?.id ?? '' }
    const shown = await workspace.call(getWebhookDelivery, { params })
    expect(shown.body.payload).toMatchObject({ type: 'payout.paid', data: { object: { amount: 500 } } })
    expect((await workspace.call(replayWebhookDelivery, { params })).body.event_ids).toEqual([])

    await workspace.call(createContract, {
      body: {
        key: 'stripe_payout_paid',
        description: 'Money on its way to our bank',
        properties: { amount: { type: 'number', description: 'In cents' } },
        status: 'published',
      },
    })
    const replayed = await workspace.call(replayWebhookDelivery, { params })
    expect(replayed.body.event_ids).toHaveLength(1)
    expect((await workspace.call(replayWebhookDelivery, { params })).status).toBe(409)
    expect((await storedNames(workspace)).map(({ name }) => name)).toEqual([
      '$purchase',
      'stripe_payout_paid',
    ])
    await send(stripeEvent('payout.paid', { id: 'po_2', amount: 700 }))
    expect((await storedNames(workspace)).map(({ name }) => name)).toContain('stripe_payout_paid')
    expect(await deliveries(workspace, { status: 'unmapped' })).toEqual([])
  })

  test('may be signed and no JSON at all: it is kept as text', async () => {
    const { id, send } = await connect(shop, 'github')
    expect((await send('payload=%7B%7D')).status).toBe(200)
    const [row] = await deliveries(shop, { connection_id: id })
    expect(row).toMatchObject({ status: 'unmapped', reason: 'unreadable' })
    const { body } = await shop.call(getWebhookDelivery, { params: { id: row?.id ?? '' } })
    expect(body.payload).toEqual({ text: 'payload=%7B%7D' })
  })

  test('is filtered and paged', async () => {
    clock.ms = Date.UTC(2026, 7, 1, 2)
    const workspace = await world.newWorkspace()
    const { send } = await connect(workspace, 'stripe')
    for (const type of ['a.a', 'b.b', 'c.c']) await send(stripeEvent(type, { id: type }))
    const types = async (query: object) => (await deliveries(workspace, query)).map(({ type }) => type)
    expect(await types({})).toEqual(['c.c', 'b.b', 'a.a'])
    expect(await types({ type: 'b.b' })).toEqual(['b.b'])
    expect(await types({ provider: 'paddle' })).toEqual([])
    expect(await types({ from: '2026-08-01T02:00:00Z', to: '2026-08-01T02:00:01Z' })).toHaveLength(3)
    expect(await types({ to: '2026-08-01T02:00:00Z' })).toEqual([])
    for (const from of ['0000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])
      expect((await workspace.call(listWebhookDeliveries, { query: { from } })).status).toBeLessThan(500)
    const first = await workspace.call(listWebhookDeliveries, { query: { limit: 2 } })
    const rest = await types({ limit: 2, cursor: first.body.next_cursor ?? '' })
    expect([...first.body.data.map(({ type }) => type), ...rest]).toEqual(['c.c', 'b.b', 'a.a'])
    expect((await workspace.call(listWebhookDeliveries, { query: { from: 'yesterday' } })).status).toBe(422)
  })

  test('is forgotten after 90 days', async () => {
    clock.ms = Date.UTC(2026, 7, 1, 2)
    const workspace = await world.newWorkspace()
    const { send } = await connect(workspace, 'stripe')
    await send(stripeEvent('a.a', { id: 'x' }))
    clock.ms += 91 * 86_400_000
    await world.product.deps.webhooks.receiving.tend(raise)
    expect(await deliveries(workspace)).toEqual([])
    clock.ms = Date.UTC(2026, 7, 1, 2)
  })
})

test('a connection and its deliveries belong to one workspace', async () => {
  const { id, send } = await connect(shop, 'stripe')
  await send(stripeEvent('a.a', { id: 'x' }))
  const [row] = await deliveries(shop, { connection_id: id })
  const other = await world.newWorkspace()
  expect(await deliveries(other)).toEqual([])
  expect((await other.call(listWebhookConnections, { query: {} })).body.data).toEqual([])
  const params = { id: row?.id ?? '' }
  expect((await other.call(getWebhookDelivery, { params })).status).toBe(404)
  expect((await other.call(replayWebhookDelivery, { params })).status).toBe(404)
  expect((await other.call(rotateWebhookSecrets, { params: { id }, body: { secrets: ['x'] } })).status).toBe(
    404,
  )
  expect((await other.call(deleteWebhookConnection, { params: { id } })).status).toBe(404)
})
