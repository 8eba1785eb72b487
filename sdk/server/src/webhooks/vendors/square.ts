import { concat } from '../bytes.ts'
import { fromMinor } from '../money.ts'
import {
  type Fact,
  fullName,
  identify,
  known,
  mapped,
  type Normalised,
  stated,
  tenureDays,
  unmapped,
  withMoney,
} from '../normal-form.ts'
import { at, textAt, timeAt } from '../payload.ts'
import { bodyHmac, requireUrl } from '../schemes.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const square: Vendor = {
  provider: 'square',
  normalise,
  // The older header x-square-signature (SHA-1) is not read.
  verify: bodyHmac({
    headers: ['x-square-hmacsha256-signature'],
    encoding: 'base64',
    digest: 'SHA-256',
    message: (signed) => {
      const url = requireUrl(signed)
      return typeof url === 'string' ? concat(url, signed.body) : url
    },
  }),
  read: (body) =>
    readObject(body, (payload) => {
      const type = textAt(payload, 'type') ?? 'unknown'
      return {
        id: textAt(payload, 'event_id') ?? null,
        type,
        occurredAt: timeAt(payload, 'created_at', 'iso') ?? null,
        isHandshake: type === 'webhooks.test_notification',
      }
    }),
}

function normalise({ type, occurredAt, payload }: VendorEvent): Normalised {
  const object = at(payload, 'data.object')
  switch (type) {
    case 'payment.created':
    case 'payment.updated':
      return purchase(at(object, 'payment'), occurredAt)
    case 'refund.created':
    case 'refund.updated':
      return refund(at(object, 'refund'), occurredAt)
    case 'subscription.created':
    case 'subscription.updated':
      return subscription(at(object, 'subscription'), occurredAt, type === 'subscription.created')
    case 'customer.created':
    case 'customer.updated': {
      const customer = at(object, 'customer')
      const who = {
        userId: textAt(customer, 'reference_id'),
        vendorId: textAt(customer, 'id'),
        email: textAt(customer, 'email_address'),
      }
      const name = fullName(textAt(customer, 'given_name'), textAt(customer, 'family_name'))
      return mapped(
        identify(`identify:${textAt(payload, 'event_id')}`, who, occurredAt, { email: who.email, name }),
      )
    }
    default:
      return unmapped('no_rule')
  }
}

const moneyAt = (object: unknown, name: string) =>
  fromMinor('square', at(object, `${name}.amount`), at(object, `${name}.currency`))

/** A payment is sent again with every change, each time with a new event id. */
function purchase(payment: unknown, occurredAt: number | null): Normalised {
  if (textAt(payment, 'status') !== 'COMPLETED') return unmapped('not_final')
  const id = textAt(payment, 'id')
  return withMoney(moneyAt(payment, 'total_money'), (money) => ({
    event: '$purchase',
    key: `payment:${id}:completed`,
    who: {
      userId: textAt(payment, 'reference_id'),
      vendorId: textAt(payment, 'customer_id'),
      email: textAt(payment, 'buyer_email_address'),
    },
    occurredAt,
    properties: known({ ...money, order_id: textAt(payment, 'order_id') ?? id, payment_id: id }),
  }))
}

function refund(object: unknown, occurredAt: number | null): Normalised {
  if (textAt(object, 'status') !== 'COMPLETED') return unmapped('not_final')
  return withMoney(moneyAt(object, 'amount_money'), (money) => ({
    event: '$refund',
    key: `refund:${textAt(object, 'id')}:completed`,
    who: {
      vendorId: textAt(object, 'customer_id') ?? paymentAsPerson(object),
    },
    occurredAt,
    properties: known({ ...money, order_id: textAt(object, 'payment_id'), reason: textAt(object, 'reason') }),
  }))
}

/** A refund names no customer; refunds of one payment are at least grouped. */
function paymentAsPerson(object: unknown): string | undefined {
  const paymentId = textAt(object, 'payment_id')
  return paymentId === undefined ? undefined : `payment-${paymentId}`
}

function subscription(object: unknown, occurredAt: number | null, isStart: boolean): Normalised {
  const id = textAt(object, 'id')
  const plan = textAt(object, 'plan_variation_id')
  if (id === undefined || plan === undefined || occurredAt === null) return unmapped('incomplete')
  const who = { vendorId: textAt(object, 'customer_id') }
  const status = textAt(object, 'status')
  if (status === 'CANCELED' || status === 'DEACTIVATED') {
    const endedAt = timeAt(object, 'canceled_date', 'iso') ?? occurredAt
    const tenure = tenureDays(timeAt(object, 'start_date', 'iso'), endedAt)
    return mapped({
      event: '$churn',
      key: `subscription:${id}:ended`,
      who,
      occurredAt: endedAt,
      properties: known({ reason: status.toLowerCase(), plan, tenure_days: tenure, subscription_id: id }),
    })
  }
  // The usual price is in the catalog, which is not part of the delivery.
  const price = moneyAt(object, 'price_override_money')
  const fact: Fact = {
    kind: 'subscription',
    id,
    asOf: occurredAt,
    who,
    plan,
    price: price ?? undefined,
    isStart,
  }
  return { ...stated(fact), unmapped: isStart && price === null ? 'amount_unknown' : null }
}
