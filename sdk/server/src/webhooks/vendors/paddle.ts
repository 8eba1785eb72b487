import { fromMinor, positive } from '../money.ts'
import {
  identify,
  known,
  mapped,
  type Normalised,
  stated,
  tenureDays,
  toItem,
  unmapped,
  type Who,
  withMoney,
} from '../normal-form.ts'
import { at, firstText, listAt, textAt, timeAt } from '../payload.ts'
import { stampedHmac } from '../schemes.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const paddle: Vendor = {
  provider: 'paddle',
  normalise,
  // Paddle's own SDK allows 5 s, which a queued delivery misses; repeats are detected by their ids anyway.
  verify: stampedHmac({
    header: 'paddle-signature',
    separator: ';',
    timeName: 'ts',
    signatureName: 'h1',
    joint: ':',
    unit: 's',
    toleranceS: 300,
  }),
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'event_id') ?? null,
      type: textAt(payload, 'event_type') ?? 'unknown',
      occurredAt: timeAt(payload, 'occurred_at', 'iso') ?? null,
    })),
}

/** Paddle names people by its own id only; the customer's own is in the data they attach. */
function whoOf(data: unknown): Who {
  return {
    userId: firstText(data, 'custom_data.user_id', 'custom_data.userId'),
    vendorId: textAt(data, 'customer_id'),
  }
}

function normalise({ type, occurredAt, payload }: VendorEvent): Normalised {
  const data = at(payload, 'data')
  switch (type) {
    case 'transaction.completed':
      return transaction(data, occurredAt)
    case 'subscription.created':
    case 'subscription.updated':
      return subscription(data, occurredAt, type === 'subscription.created')
    case 'subscription.canceled':
      return churn(data, occurredAt)
    case 'adjustment.created':
    case 'adjustment.updated':
      return refund(data, occurredAt)
    case 'customer.created':
    case 'customer.updated': {
      const email = textAt(data, 'email')
      const who = { ...whoOf(data), vendorId: textAt(data, 'id'), email }
      const traits = { email, name: textAt(data, 'name') }
      return mapped(identify(`identify:${textAt(payload, 'event_id')}`, who, occurredAt, traits))
    }
    case 'transaction.paid':
    case 'subscription.activated':
    case 'subscription.trialing':
      return unmapped('told_elsewhere')
    default:
      return unmapped('no_rule')
  }
}

function transaction(data: unknown, occurredAt: number | null): Normalised {
  const isOfSubscription = textAt(data, 'subscription_id') !== undefined
  const origin = textAt(data, 'origin')
  const isRenewal = origin === 'subscription_recurring'
  // The first payment belongs to the start of the subscription, and the cost of an update to the update.
  if (isOfSubscription && !isRenewal && origin !== 'subscription_charge') return unmapped('told_elsewhere')
  const money = fromMinor('paddle', at(data, 'details.totals.grand_total'), at(data, 'currency_code'))
  return withMoney(money, (total) => ({
    event: '$purchase',
    key: `transaction:${textAt(data, 'id')}`,
    who: whoOf(data),
    occurredAt,
    properties: known({
      ...total,
      order_id: textAt(data, 'id'),
      items: listAt(data, 'items').map((item) =>
        toItem(item, firstText(item, 'price.id', 'price_id'), 'quantity'),
      ),
      coupon: textAt(data, 'discount_id'),
      renewal: isRenewal ? true : undefined,
      subscription_id: textAt(data, 'subscription_id'),
    }),
  }))
}

function subscription(data: unknown, occurredAt: number | null, isStart: boolean): Normalised {
  const id = textAt(data, 'id')
  const item = at(data, 'items.0')
  const currency = at(item, 'price.unit_price.currency_code') ?? at(data, 'currency_code')
  const price = fromMinor('paddle', at(item, 'price.unit_price.amount'), currency, at(item, 'quantity') ?? 1)
  const plan = firstText(item, 'price.name', 'price.id')
  if (id === undefined || plan === undefined || occurredAt === null) return unmapped('incomplete')
  return stated({
    kind: 'subscription',
    id,
    asOf: occurredAt,
    who: whoOf(data),
    plan,
    price: price ?? undefined,
    interval: textAt(data, 'billing_cycle.interval'),
    isTrial: isStart ? textAt(data, 'status') === 'trialing' : undefined,
    isStart,
  })
}

function churn(data: unknown, occurredAt: number | null): Normalised {
  const endedAt = timeAt(data, 'canceled_at', 'iso') ?? occurredAt
  return mapped({
    event: '$churn',
    key: `subscription:${textAt(data, 'id')}:ended`,
    who: whoOf(data),
    occurredAt: endedAt,
    properties: known({
      reason: 'unspecified',
      plan: firstText(data, 'items.0.price.name', 'items.0.price.id'),
      tenure_days: tenureDays(timeAt(data, 'started_at', 'iso'), endedAt),
      subscription_id: textAt(data, 'id'),
    }),
  })
}

function refund(data: unknown, occurredAt: number | null): Normalised {
  if (textAt(data, 'action') !== 'refund') return unmapped('no_rule')
  if (textAt(data, 'status') !== 'approved') return unmapped('not_final')
  const money = positive(fromMinor('paddle', at(data, 'totals.total'), at(data, 'currency_code')))
  return withMoney(money, (total) => ({
    event: '$refund',
    key: `adjustment:${textAt(data, 'id')}`,
    who: whoOf(data),
    occurredAt,
    properties: known({ ...total, order_id: textAt(data, 'transaction_id'), reason: textAt(data, 'reason') }),
  }))
}
