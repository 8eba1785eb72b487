import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NormalisedEvent } from './normal-form.ts'
import { foldPayment, type PaymentMemory } from './payment.ts'
import { normaliseWebhook } from './webhooks.ts'

type Sent = { type: string; object: Readonly<Record<string, unknown>> }

const paid = { currency: 'eur', customer: 'cus_1' }
const sent = (type: string, object: object): Sent => ({ type, object: { ...paid, ...object } })

/** A connection as the product has it: what it remembers, what waits, and what it counted by event id. */
class Connection {
  readonly #memories = new Map<string, PaymentMemory>()
  #waiting: Sent[] = []
  readonly counted = new Map<string, NormalisedEvent>()

  receive(one: Sent, isFinal = false): void {
    const { type, object } = one
    const source = { id: null, type, occurredAt: 1, isTest: false, isHandshake: false }
    const { events, payment } = normaliseWebhook('stripe', { ...source, payload: { data: { object } } })
    if (payment === undefined) {
      this.#count(events)
      return
    }
    const step = foldPayment(this.#known(payment.references), payment, events, isFinal)
    this.#count(step.events)
    for (const name of step.memory.references) this.#memories.set(name, step.memory)
    if (step.outcome === 'waits') this.#waiting.push(one)
  }

  /** The time is over for everything that waits. */
  pass(): void {
    const due = this.#waiting
    this.#waiting = []
    for (const one of due) this.receive(one, true)
  }

  #known(names: readonly string[]): PaymentMemory[] {
    const found = names.flatMap((name) => this.#memories.get(name) ?? [])
    const all = [...new Set([...names, ...found.flatMap(({ references }) => references)])]
    return all.flatMap((name) => this.#memories.get(name) ?? [])
  }

  #count(events: readonly NormalisedEvent[]): void {
    for (const event of events) if (!this.counted.has(event.key)) this.counted.set(event.key, event)
  }

  of(name: string): NormalisedEvent[] {
    return [...this.counted.values()].filter(({ event }) => event === name)
  }
}

/** Any of them, at least one, in any order, some twice; time may pass in between. */
const anyOrder = (all: readonly Sent[], required: readonly Sent[] = []) =>
  fc
    .record({
      chosen: fc.subarray([...all], { minLength: required.length > 0 ? 0 : 1 }),
      twice: fc.subarray([...all]),
    })
    .chain(({ chosen, twice }) => {
      const list = [...required, ...chosen, ...twice.filter((one) => chosen.includes(one))]
      return fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })
    })

function played(order: readonly (Sent | 'time')[]): Connection {
  const connection = new Connection()
  for (const one of order) one === 'time' ? connection.pass() : connection.receive(one)
  connection.pass()
  return connection
}

const withTime = (order: fc.Arbitrary<Sent[]>) =>
  order.chain((list) =>
    fc
      .array(fc.boolean(), { minLength: list.length, maxLength: list.length })
      .map((pauses) =>
        list.flatMap((one, at): (Sent | 'time')[] => (pauses[at] === true ? [one, 'time'] : [one])),
      ),
  )

const session = sent('checkout.session.completed', {
  id: 'cs_1',
  mode: 'payment',
  payment_status: 'paid',
  amount_total: 1999,
  payment_intent: 'pi_1',
  invoice: 'in_1',
  metadata: { order_id: 'o-1' },
})
const intent = sent('payment_intent.succeeded', { id: 'pi_1', amount_received: 1999, latest_charge: 'ch_1' })
const charge = sent('charge.succeeded', { id: 'ch_1', amount: 1999, captured: true, payment_intent: 'pi_1' })
const invoice = (reason: string, more: object = {}) =>
  sent('invoice.paid', { id: 'in_1', amount_paid: 1999, billing_reason: reason, ...more })
const linked = { payment_intent: 'pi_1', charge: 'ch_1' }
const link = sent('invoice_payment.paid', { id: 'x', invoice: 'in_1', payment: { payment_intent: 'pi_1' } })

const once = (connection: Connection) => {
  expect(connection.of('$purchase').map(({ properties }) => properties.amount)).toEqual([19.99])
}

describe('a payment counts once, whichever deliveries report it, in any order, repeated, early or late', () => {
  test('a checkout with its invoice, payment and charge', () => {
    const all = [session, intent, charge, invoice('manual', linked)]
    fc.assert(
      fc.property(withTime(anyOrder(all)), (order) => once(played(order))),
      { numRuns: 500 },
    )
  })

  test('a renewal with its payment and charge', () => {
    const all = [invoice('subscription_cycle', linked), intent, charge]
    fc.assert(
      fc.property(withTime(anyOrder(all)), (order) => once(played(order))),
      { numRuns: 500 },
    )
  })

  test('an invoice and a payment that do not name each other, with the delivery that links them', () => {
    const all = [invoice('subscription_cycle'), intent, charge]
    fc.assert(
      fc.property(anyOrder(all, [link, invoice('subscription_cycle')]), (order) => once(played(order))),
    )
    fc.assert(
      fc.property(anyOrder([invoice('manual'), intent, charge], [link, intent]), (order) =>
        once(played(order)),
      ),
    )
  })

  test('two payments of one customer are two', () => {
    const other = sent('payment_intent.succeeded', { id: 'pi_2', amount_received: 1999 })
    const connection = played([intent, charge, other])
    expect(connection.of('$purchase')).toHaveLength(2)
  })

  test('the best report is taken when all of them come in time', () => {
    fc.assert(
      fc.property(anyOrder([intent, charge, invoice('manual', linked)], [session]), (order) => {
        expect(played(order).of('$purchase')).toMatchObject([
          { key: 'checkout:cs_1', properties: { order_id: 'o-1' } },
        ])
      }),
    )
  })

  test('the first payment of a subscription is its start and no purchase', () => {
    const started = sent('customer.subscription.created', {
      id: 'sub_1',
      status: 'active',
      latest_invoice: 'in_1',
      items: { data: [{ quantity: 1, price: { id: 'pro', unit_amount: 1999, currency: 'eur' } }] },
    })
    const ofInvoice = { ...intent, object: { ...intent.object, invoice: 'in_1' } }
    const checkout = sent('checkout.session.completed', { id: 'cs_2', mode: 'subscription', invoice: 'in_1' })
    const all = [invoice('subscription_create', linked), ofInvoice, charge, checkout]
    fc.assert(
      fc.property(anyOrder(all, [started, ofInvoice]), (order) => {
        const connection = played(order)
        expect([connection.of('$subscribe').length, connection.of('$purchase').length]).toEqual([1, 0])
      }),
    )
  })
})

describe('refunds', () => {
  const refund = (id: string, amount: number, type = 'refund.created') =>
    sent(type, { id, amount, status: 'succeeded', payment_intent: 'pi_1', charge: 'ch_1' })
  const sum = (amount: number) =>
    sent('charge.refunded', { id: 'ch_1', payment_intent: 'pi_1', amount_refunded: amount })
  const singles = [refund('re_1', 400), refund('re_2', 600), refund('re_2', 600, 'refund.updated')]
  const sums = [sum(400), sum(1000)]
  const total = (connection: Connection) =>
    connection
      .of('$refund')
      .reduce((cents, { properties }) => cents + Math.round(100 * Number(properties.amount)), 0)

  test.each([
    ['one by one', singles, sums],
    ['by their sum', [sum(1000)], [...singles, sums[0] ?? sum(400)]],
  ])('add up to what was paid back, reported %s, with any of the others', (_, required, others) => {
    fc.assert(
      fc.property(withTime(anyOrder(others, required)), (order) => {
        expect(total(played(order))).toBe(1000)
      }),
      { numRuns: 500 },
    )
  })

  test('have the order of the purchase, whichever delivery counted it', () => {
    const payments = [session, intent, charge, invoice('manual', linked)]
    fc.assert(
      fc.property(withTime(anyOrder(payments)), anyOrder([...singles, ...sums]), (before, after) => {
        const connection = played([...before, ...after])
        const [purchase] = connection.of('$purchase')
        const orders = connection.of('$refund').map(({ properties }) => properties.order_id)
        expect(new Set(orders)).toEqual(new Set([purchase?.properties.order_id]))
      }),
      { numRuns: 500 },
    )
  })
})
