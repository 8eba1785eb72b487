import { fromMinor, type Money } from '../money.ts'
import {
  identify,
  known,
  mapped,
  type Normalised,
  type NormalisedEvent,
  tenureDays,
  unmapped,
  type Who,
  withMoney,
} from '../normal-form.ts'
import { at, firstText, flagAt, textAt, timeAt } from '../payload.ts'
import { stampedHmac } from '../schemes.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const stripe: Vendor = {
  provider: 'stripe',
  normalise,
  // The secret's characters are the key, `whsec_` included: nothing is decoded, unlike in Standard Webhooks.
  verify: stampedHmac({
    header: 'stripe-signature',
    separator: ',',
    timeName: 't',
    signatureName: 'v1',
    joint: '.',
    unit: 's',
    toleranceS: 300,
  }),
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'id') ?? null,
      type: textAt(payload, 'type') ?? 'unknown',
      occurredAt: timeAt(payload, 'created', 's') ?? timeAt(payload, 'created', 'iso') ?? null,
      isTest: flagAt(payload, 'livemode') === false,
    })),
}

/** A reference is an id, or the whole object where the customer asked for it. */
function referenceAt(object: unknown, name: string): string | undefined {
  return textAt(object, name) ?? textAt(object, `${name}.id`)
}

function whoOf(object: unknown): Who {
  return {
    userId: firstText(object, 'client_reference_id', 'metadata.user_id', 'metadata.userId'),
    vendorId: referenceAt(object, 'customer'),
    email: firstText(object, 'customer_details.email', 'customer_email', 'receipt_email'),
  }
}

const planOf = (item: unknown) => firstText(item, 'price.lookup_key', 'price.nickname', 'price.id', 'plan.id')

/** Fractions of a cent are sent as text next to an empty integer. */
function priceOf(item: unknown): Money | null {
  const unit = at(item, 'price.unit_amount') ?? at(item, 'price.unit_amount_decimal')
  return fromMinor('stripe', unit, at(item, 'price.currency'), at(item, 'quantity') ?? 1)
}

function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const object = at(payload, 'data.object')
  // A thin event names its object without its content.
  if (object === undefined) return unmapped('no_rule')
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return purchase(object, occurredAt)
    case 'customer.subscription.created':
      return subscribe(object, occurredAt)
    case 'customer.subscription.updated':
      return change(object, at(payload, 'data.previous_attributes'), id, occurredAt)
    case 'customer.subscription.deleted':
      return mapped(churn(object, occurredAt))
    case 'refund.created':
      return refund(object, occurredAt)
    case 'invoice.paid':
      return renewal(object, occurredAt)
    case 'customer.created':
    case 'customer.updated':
      return mapped(person(object, id, occurredAt))
    // The sum of all refunds so far, and other names of what is handled above.
    case 'charge.refunded':
    case 'refund.updated':
    case 'invoice.payment_succeeded':
    case 'charge.succeeded':
    case 'payment_intent.succeeded':
      return unmapped('told_elsewhere')
    default:
      return unmapped('no_rule')
  }
}

const orderOf = (object: unknown, ...others: readonly string[]) =>
  textAt(object, 'metadata.order_id') ??
  others.map((name) => referenceAt(object, name)).find((reference) => reference !== undefined)

function purchase(session: unknown, occurredAt: number | null): Normalised {
  if (textAt(session, 'payment_status') === 'unpaid') return unmapped('not_final')
  const mode = textAt(session, 'mode')
  if (mode !== 'payment') return unmapped(mode === 'subscription' ? 'told_elsewhere' : 'no_rule')
  const money = fromMinor('stripe', at(session, 'amount_total'), at(session, 'currency'))
  return withMoney(money, (total) => ({
    event: '$purchase',
    key: `checkout:${textAt(session, 'id')}`,
    who: whoOf(session),
    occurredAt,
    properties: known({ ...total, order_id: orderOf(session, 'payment_intent', 'id') }),
  }))
}

function subscribe(subscription: unknown, occurredAt: number | null): Normalised {
  const status = textAt(subscription, 'status')
  // The first payment has not succeeded yet; an update follows when it has.
  if (status === 'incomplete' || status === 'incomplete_expired') return unmapped('not_final')
  const item = at(subscription, 'items.data.0')
  const plan = planOf(item)
  if (plan === undefined) return unmapped('incomplete')
  return withMoney(priceOf(item), (price) => ({
    event: '$subscribe',
    key: `subscription:${textAt(subscription, 'id')}:started`,
    who: whoOf(subscription),
    occurredAt,
    properties: known({
      plan,
      ...price,
      interval: textAt(item, 'price.recurring.interval'),
      trial: status === 'trialing',
      subscription_id: textAt(subscription, 'id'),
    }),
  }))
}

function change(
  subscription: unknown,
  before: unknown,
  id: string | null,
  occurredAt: number | null,
): Normalised {
  if (textAt(before, 'status') === 'incomplete') return subscribe(subscription, occurredAt)
  const [oldItem, newItem] = [at(before, 'items.data.0'), at(subscription, 'items.data.0')]
  const [fromPlan, toPlan] = [planOf(oldItem), planOf(newItem)]
  if (fromPlan === undefined || toPlan === undefined || fromPlan === toPlan) return unmapped('no_rule')
  const [oldPrice, newPrice] = [priceOf(oldItem), priceOf(newItem)]
  const isLower =
    oldPrice !== null && newPrice?.currency === oldPrice.currency && newPrice.amount < oldPrice.amount
  return mapped({
    event: '$upgrade',
    key: `subscription:${textAt(subscription, 'id')}:plan:${id}`,
    who: whoOf(subscription),
    occurredAt,
    properties: known({
      from_plan: fromPlan,
      to_plan: toPlan,
      ...newPrice,
      direction: isLower ? 'downgrade' : undefined,
      subscription_id: textAt(subscription, 'id'),
    }),
  })
}

function churn(subscription: unknown, occurredAt: number | null): NormalisedEvent {
  const endedAt = timeAt(subscription, 'ended_at', 's') ?? timeAt(subscription, 'canceled_at', 's')
  const startedAt = timeAt(subscription, 'start_date', 's') ?? timeAt(subscription, 'created', 's')
  return {
    event: '$churn',
    key: `subscription:${textAt(subscription, 'id')}:ended`,
    who: whoOf(subscription),
    occurredAt: endedAt ?? occurredAt,
    properties: known({
      reason:
        firstText(subscription, 'cancellation_details.feedback', 'cancellation_details.reason') ??
        'unspecified',
      comment: textAt(subscription, 'cancellation_details.comment'),
      plan: planOf(at(subscription, 'items.data.0')),
      tenure_days: tenureDays(startedAt, endedAt),
      subscription_id: textAt(subscription, 'id'),
    }),
  }
}

function refund(object: unknown, occurredAt: number | null): Normalised {
  const status = textAt(object, 'status')
  if (status !== 'succeeded' && status !== 'pending') return unmapped('not_final')
  return withMoney(fromMinor('stripe', at(object, 'amount'), at(object, 'currency')), (money) => ({
    event: '$refund',
    key: `refund:${textAt(object, 'id')}`,
    who: whoOf(object),
    occurredAt,
    properties: known({
      ...money,
      order_id: orderOf(object, 'payment_intent', 'charge'),
      reason: textAt(object, 'reason'),
    }),
  }))
}

/** Every other invoice of a subscription belongs to its start or to a change of plan. */
function renewal(invoice: unknown, occurredAt: number | null): Normalised {
  if (textAt(invoice, 'billing_reason') !== 'subscription_cycle') return unmapped('told_elsewhere')
  const subscriptionId =
    referenceAt(invoice, 'parent.subscription_details.subscription') ?? referenceAt(invoice, 'subscription')
  return withMoney(fromMinor('stripe', at(invoice, 'amount_paid'), at(invoice, 'currency')), (money) => ({
    event: '$purchase',
    key: `invoice:${textAt(invoice, 'id')}`,
    who: whoOf(invoice),
    occurredAt,
    properties: known({
      ...money,
      order_id: textAt(invoice, 'id'),
      renewal: true,
      subscription_id: subscriptionId,
    }),
  }))
}

function person(customer: unknown, id: string | null, occurredAt: number | null): NormalisedEvent {
  const who = { ...whoOf(customer), vendorId: textAt(customer, 'id'), email: textAt(customer, 'email') }
  return identify(`identify:${id}`, who, occurredAt, { email: who.email, name: textAt(customer, 'name') })
}
