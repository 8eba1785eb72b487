import { fromMinor, type Money } from '../money.ts'
import {
  identify,
  known,
  mapped,
  type Normalised,
  type NormalisedEvent,
  type Payment,
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
    email: firstText(
      object,
      'customer_details.email',
      'customer_email',
      'receipt_email',
      'billing_details.email',
    ),
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
    case 'refund.updated':
    case 'charge.refund.updated':
      return refund(object, occurredAt)
    case 'charge.refunded':
      return refundedCharge(object, occurredAt)
    case 'invoice.paid':
      return invoicePayment(object, occurredAt)
    case 'payment_intent.succeeded':
      return intent(object, occurredAt)
    case 'charge.succeeded':
    case 'charge.captured':
      return charge(object, occurredAt)
    case 'invoice_payment.paid':
      return link(object)
    case 'customer.created':
    case 'customer.updated':
      return mapped(person(object, id, occurredAt))
    // Another name of what is handled above.
    case 'invoice.payment_succeeded':
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
  const references = referencesOf(session, 'payment_intent', 'invoice', 'id')
  if (mode === 'subscription')
    return { ...unmapped('told_elsewhere'), payment: { references, role: 'elsewhere' } }
  if (mode !== 'payment') return unmapped('no_rule')
  const money = fromMinor('stripe', at(session, 'amount_total'), at(session, 'currency'))
  const made = withMoney(money, (total) => ({
    event: '$purchase',
    key: `checkout:${textAt(session, 'id')}`,
    who: whoOf(session),
    occurredAt,
    properties: known({ ...total, order_id: orderOf(session, 'payment_intent', 'id') }),
  }))
  return ofPayment(made, references, 'report')
}

function subscribe(subscription: unknown, occurredAt: number | null): Normalised {
  const status = textAt(subscription, 'status')
  // The first payment has not succeeded yet; an update follows when it has.
  if (status === 'incomplete' || status === 'incomplete_expired') return unmapped('not_final')
  const item = at(subscription, 'items.data.0')
  const plan = planOf(item)
  if (plan === undefined) return unmapped('incomplete')
  const made = withMoney(priceOf(item), (price) => ({
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
  return ofPayment(made, referencesOf(subscription, 'latest_invoice'), 'elsewhere')
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
  const money = fromMinor('stripe', at(object, 'amount'), at(object, 'currency'))
  return refunded(object, money, occurredAt, textAt(object, 'id') ?? null)
}

/** The sum of all refunds of the charge so far. */
function refundedCharge(object: unknown, occurredAt: number | null): Normalised {
  const money = fromMinor('stripe', at(object, 'amount_refunded'), at(object, 'currency'))
  return refunded(object, money, occurredAt, null)
}

function refunded(
  object: unknown,
  money: Money | null,
  occurredAt: number | null,
  id: string | null,
): Normalised {
  if (money === null) return unmapped('amount_unknown')
  const names = id === null ? ['payment_intent', 'id', 'invoice'] : ['payment_intent', 'charge']
  const made = mapped({
    event: '$refund',
    key: `refund:${id}`,
    who: whoOf(object),
    occurredAt,
    properties: known({ ...money, order_id: orderOf(object, ...names), reason: textAt(object, 'reason') }),
  })
  const references = referencesOf(object, ...names)
  if (references.length === 0) return id === null ? unmapped('incomplete') : made
  // The metadata of a charge is that of the payment, whose order is known better by what counted it.
  const orderId = id === null ? undefined : textAt(object, 'metadata.order_id')
  return { ...made, payment: { references, role: 'refund', refund: { id, money, orderId } } }
}

/** Every invoice of a subscription but a renewal belongs to its start or to a change of plan. */
function invoicePayment(invoice: unknown, occurredAt: number | null): Normalised {
  const references = [
    ...referencesOf(invoice, 'payment_intent', 'id', 'charge'),
    ...referencesOf(at(invoice, 'payments.data.0.payment'), 'payment_intent', 'charge'),
  ]
  const subscriptionId =
    referenceAt(invoice, 'parent.subscription_details.subscription') ?? referenceAt(invoice, 'subscription')
  const isRenewal = textAt(invoice, 'billing_reason') === 'subscription_cycle'
  if (!isRenewal && (subscriptionId !== undefined || textAt(invoice, 'billing_reason') !== 'manual'))
    return { ...unmapped('told_elsewhere'), payment: { references, role: 'elsewhere' } }
  const made = withMoney(
    fromMinor('stripe', at(invoice, 'amount_paid'), at(invoice, 'currency')),
    (money) => ({
      event: '$purchase',
      key: `invoice:${textAt(invoice, 'id')}`,
      who: whoOf(invoice),
      occurredAt,
      properties: known({
        ...money,
        order_id: isRenewal ? textAt(invoice, 'id') : orderOf(invoice, 'id'),
        renewal: isRenewal ? true : undefined,
        subscription_id: subscriptionId,
      }),
    }),
  )
  // A checkout may write an invoice, too; then the checkout counts.
  return ofPayment(made, references, isRenewal ? 'report' : 'fallback')
}

function intent(object: unknown, occurredAt: number | null): Normalised {
  const amount = at(object, 'amount_received') ?? at(object, 'amount')
  return fallback(object, amount, referencesOf(object, 'id', 'invoice', 'latest_charge'), occurredAt)
}

/** A charge that is only authorised is captured later, or never. */
function charge(object: unknown, occurredAt: number | null): Normalised {
  if (flagAt(object, 'captured') === false) return unmapped('not_final')
  const amount = at(object, 'amount_captured') ?? at(object, 'amount')
  return fallback(object, amount, referencesOf(object, 'payment_intent', 'invoice', 'id'), occurredAt)
}

function fallback(
  object: unknown,
  amount: unknown,
  named: readonly string[],
  occurredAt: number | null,
): Normalised {
  // Since 2025 a payment names its invoice here, if at all.
  const invoice = textAt(object, 'payment_details.order_reference')
  const references = invoice?.startsWith('in_') === true ? [...named, invoice] : named
  const [first] = references
  if (first === undefined) return unmapped('incomplete')
  const made = withMoney(fromMinor('stripe', amount, at(object, 'currency')), (money) => ({
    event: '$purchase',
    key: `payment:${first}`,
    who: whoOf(object),
    occurredAt,
    properties: known({ ...money, order_id: textAt(object, 'metadata.order_id') ?? first }),
  }))
  return ofPayment(made, references, 'fallback')
}

/** Which payment paid which invoice: since 2025 neither of the two says so. */
function link(object: unknown): Normalised {
  const references = [
    ...referencesOf(at(object, 'payment'), 'payment_intent', 'charge'),
    ...referencesOf(object, 'invoice'),
  ]
  return { ...unmapped('told_elsewhere'), payment: { references, role: 'link' } }
}

/** Ids of Stripe have letters, digits and underscores; anything else names no payment. */
function referencesOf(object: unknown, ...names: readonly string[]): string[] {
  return names.map((name) => referenceAt(object, name) ?? '').filter((text) => /^\w{1,255}$/.test(text))
}

function ofPayment(made: Normalised, references: readonly string[], role: Payment['role']): Normalised {
  return made.events.length === 0 || references.length === 0
    ? made
    : { ...made, payment: { references, role } }
}

function person(customer: unknown, id: string | null, occurredAt: number | null): NormalisedEvent {
  const who = { ...whoOf(customer), vendorId: textAt(customer, 'id'), email: textAt(customer, 'email') }
  return identify(`identify:${id}`, who, occurredAt, { email: who.email, name: textAt(customer, 'name') })
}
