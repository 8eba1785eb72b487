import { fromMinor } from '../money.ts'
import {
  known,
  mapped,
  type Normalised,
  stated,
  tenureDays,
  unmapped,
  type Who,
  withMoney,
} from '../normal-form.ts'
import { at, firstText, numberAt, textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const razorpay: Vendor = {
  provider: 'razorpay',
  normalise,
  verify: bodyHmac({ headers: ['x-razorpay-signature'], encoding: 'hex', digest: 'SHA-256' }),
  read: (body, header) =>
    readObject(body, (payload) => ({
      id: header('x-razorpay-event-id') ?? null,
      type: textAt(payload, 'event') ?? 'unknown',
      occurredAt: timeAt(payload, 'created_at', 's') ?? null,
    })),
}

/** `notes` is an object, or an empty list when there are none. */
function whoOf(...entities: readonly unknown[]): Who {
  const find = (...paths: readonly string[]) =>
    entities.map((entity) => firstText(entity, ...paths)).find((text) => text !== undefined)
  return {
    userId: find('notes.user_id', 'notes.userId'),
    vendorId: find('customer_id'),
    email: find('email'),
  }
}

const moneyOf = (entity: unknown) => fromMinor('razorpay', at(entity, 'amount'), at(entity, 'currency'))

function normalise({ type, occurredAt, payload }: VendorEvent): Normalised {
  const [payment, subscription, refund] = ['payment', 'subscription', 'refund'].map((name) =>
    at(payload, `payload.${name}.entity`),
  )
  switch (type) {
    case 'payment.captured':
      // The invoice belongs to a subscription, whose charge is a separate delivery.
      return textAt(payment, 'invoice_id') === undefined
        ? purchase(payment, undefined, occurredAt)
        : unmapped('told_elsewhere')
    case 'subscription.charged':
      return numberAt(subscription, 'paid_count') === 1
        ? start(subscription, payment, occurredAt)
        : purchase(payment, subscription, occurredAt)
    case 'subscription.activated':
      return start(subscription, payment, occurredAt)
    case 'subscription.updated':
      return plan(subscription, occurredAt)
    case 'subscription.cancelled':
    case 'subscription.completed':
      return churn(subscription, type.slice('subscription.'.length), occurredAt)
    case 'refund.processed':
      return withMoney(moneyOf(refund), (money) => ({
        event: '$refund',
        key: `refund:${textAt(refund, 'id')}`,
        who: whoOf(payment, refund),
        occurredAt,
        properties: known({
          ...money,
          order_id: textAt(refund, 'payment_id'),
          reason: textAt(refund, 'notes.comment'),
        }),
      }))
    case 'order.paid':
    case 'payment.authorized':
    case 'refund.created':
      return unmapped('told_elsewhere')
    default:
      return unmapped('no_rule')
  }
}

function purchase(payment: unknown, subscription: unknown, occurredAt: number | null): Normalised {
  const id = textAt(payment, 'id')
  return withMoney(moneyOf(payment), (money) => ({
    event: '$purchase',
    key: `payment:${id}`,
    who: whoOf(payment, subscription),
    occurredAt,
    properties: known({
      ...money,
      order_id: textAt(payment, 'order_id') ?? id,
      payment_id: id,
      renewal: subscription === undefined ? undefined : true,
      subscription_id: textAt(subscription, 'id'),
    }),
  }))
}

/** The plan is part of the subscription, its price only of the payment in the same delivery. */
function start(subscription: unknown, payment: unknown, occurredAt: number | null): Normalised {
  const id = textAt(subscription, 'id')
  const planId = textAt(subscription, 'plan_id')
  if (id === undefined || planId === undefined || occurredAt === null) return unmapped('incomplete')
  const price = moneyOf(payment) ?? undefined
  const asOf = timeAt(subscription, 'start_at', 's') ?? occurredAt
  const who = whoOf(subscription, payment)
  return stated({ kind: 'subscription', id, asOf, who, plan: planId, price, isStart: true })
}

function plan(subscription: unknown, occurredAt: number | null): Normalised {
  const id = textAt(subscription, 'id')
  if (id === undefined || occurredAt === null) return unmapped('incomplete')
  const planId = textAt(subscription, 'plan_id')
  return stated({ kind: 'subscription', id, asOf: occurredAt, who: whoOf(subscription), plan: planId })
}

function churn(subscription: unknown, reason: string, occurredAt: number | null): Normalised {
  const endedAt = timeAt(subscription, 'ended_at', 's') ?? occurredAt
  const id = textAt(subscription, 'id')
  return mapped({
    event: '$churn',
    key: `subscription:${id}:ended`,
    who: whoOf(subscription),
    occurredAt: endedAt,
    properties: known({
      reason,
      plan: textAt(subscription, 'plan_id'),
      tenure_days: tenureDays(timeAt(subscription, 'start_at', 's'), endedAt),
      subscription_id: id,
    }),
  })
}
