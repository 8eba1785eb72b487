import { fromMinor } from '../money.ts'
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
import { literalOrDecodedKey, standardWebhooks } from '../standard-webhooks.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const polar: Vendor = {
  provider: 'polar',
  normalise,
  verify: standardWebhooks({ brands: ['webhook'], keysOf: literalOrDecodedKey }),
  read: (body, header) =>
    readObject(body, (payload) => ({
      id: header('webhook-id') ?? null,
      type: textAt(payload, 'type') ?? 'unknown',
      occurredAt: timeAt(payload, 'timestamp', 'iso') ?? timeAt(payload, 'data.created_at', 'iso') ?? null,
    })),
}

function whoOf(data: unknown): Who {
  return {
    userId: firstText(data, 'customer.external_id', 'customer_external_id', 'metadata.user_id'),
    vendorId: firstText(data, 'customer_id', 'customer.id'),
    email: textAt(data, 'customer.email'),
  }
}

function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const data = at(payload, 'data')
  switch (type) {
    case 'order.paid':
      return order(data, occurredAt)
    case 'subscription.created':
    case 'subscription.active':
      return subscription(data, occurredAt, true)
    case 'subscription.updated':
      return subscription(data, occurredAt, false)
    case 'subscription.revoked':
      return churn(data, occurredAt)
    case 'refund.created':
      return refund(data, occurredAt)
    case 'customer.created':
    case 'customer.updated': {
      const email = textAt(data, 'email')
      const who = { userId: textAt(data, 'external_id'), vendorId: textAt(data, 'id'), email }
      return mapped(identify(`identify:${id}`, who, occurredAt, { email, name: textAt(data, 'name') }))
    }
    case 'order.created':
    case 'order.updated':
    case 'order.refunded':
    case 'refund.updated':
      return unmapped('told_elsewhere')
    // It runs until the end of the paid period.
    case 'subscription.canceled':
      return unmapped('not_final')
    default:
      return unmapped('no_rule')
  }
}

function order(data: unknown, occurredAt: number | null): Normalised {
  const reason = textAt(data, 'billing_reason')
  if (reason !== 'purchase' && reason !== 'subscription_cycle') return unmapped('told_elsewhere')
  return withMoney(fromMinor('polar', at(data, 'total_amount'), at(data, 'currency')), (money) => ({
    event: '$purchase',
    key: `order:${textAt(data, 'id')}`,
    who: whoOf(data),
    occurredAt,
    properties: known({
      ...money,
      order_id: textAt(data, 'id'),
      items: listAt(data, 'items').map((item) =>
        toItem({ quantity: 1 }, firstText(item, 'product_price_id', 'id'), 'quantity'),
      ),
      coupon: textAt(data, 'discount.code'),
      renewal: reason === 'subscription_cycle' ? true : undefined,
      subscription_id: textAt(data, 'subscription_id'),
    }),
  }))
}

function subscription(data: unknown, occurredAt: number | null, isStart: boolean): Normalised {
  const id = textAt(data, 'id')
  const plan = firstText(data, 'product.name', 'product_id')
  const status = textAt(data, 'status')
  if (id === undefined || plan === undefined || occurredAt === null) return unmapped('incomplete')
  if (isStart && status !== 'active' && status !== 'trialing') return unmapped('not_final')
  const price = fromMinor('polar', at(data, 'amount'), at(data, 'currency'))
  return stated({
    kind: 'subscription',
    id,
    asOf: (isStart ? timeAt(data, 'started_at', 'iso') : timeAt(data, 'modified_at', 'iso')) ?? occurredAt,
    who: whoOf(data),
    plan,
    price: price ?? undefined,
    interval: textAt(data, 'recurring_interval'),
    isTrial: isStart ? status === 'trialing' : undefined,
    isStart,
  })
}

function churn(data: unknown, occurredAt: number | null): Normalised {
  const endedAt = timeAt(data, 'ended_at', 'iso') ?? occurredAt
  return mapped({
    event: '$churn',
    key: `subscription:${textAt(data, 'id')}:ended`,
    who: whoOf(data),
    occurredAt: endedAt,
    properties: known({
      reason: textAt(data, 'customer_cancellation_reason') ?? 'unspecified',
      comment: textAt(data, 'customer_cancellation_comment'),
      plan: firstText(data, 'product.name', 'product_id'),
      tenure_days: tenureDays(timeAt(data, 'started_at', 'iso'), endedAt),
      subscription_id: textAt(data, 'id'),
    }),
  })
}

function refund(data: unknown, occurredAt: number | null): Normalised {
  const status = textAt(data, 'status')
  if (status === 'failed' || status === 'canceled') return unmapped('not_final')
  return withMoney(fromMinor('polar', at(data, 'amount'), at(data, 'currency')), (money) => ({
    event: '$refund',
    key: `refund:${textAt(data, 'id')}`,
    who: whoOf(data),
    occurredAt,
    properties: known({ ...money, order_id: textAt(data, 'order_id'), reason: textAt(data, 'reason') }),
  }))
}
