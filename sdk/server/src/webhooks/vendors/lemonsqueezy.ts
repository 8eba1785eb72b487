import { fromFormatted } from '../money.ts'
import {
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
import { at, firstText, flagAt, textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { compositeId, readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const lemonsqueezy: Vendor = {
  provider: 'lemonsqueezy',
  normalise,
  verify: bodyHmac({ headers: ['x-signature'], encoding: 'hex', digest: 'SHA-256' }),
  read: (body) =>
    readObject(body, (payload) => ({
      // The event has no id; what it is about and when that changed are as good.
      id: compositeId(payload, 'meta.event_name', 'data.type', 'data.id', 'data.attributes.updated_at'),
      // The header X-Event-Name says the same, but is not signed.
      type: textAt(payload, 'meta.event_name') ?? 'unknown',
      occurredAt:
        timeAt(payload, 'data.attributes.updated_at', 'iso') ??
        timeAt(payload, 'data.attributes.created_at', 'iso') ??
        null,
      isTest:
        flagAt(payload, 'meta.test_mode') === true || flagAt(payload, 'data.attributes.test_mode') === true,
    })),
}

type Content = { id: string; attributes: unknown; who: Who; occurredAt: number | null }

function normalise({ type, occurredAt, payload }: VendorEvent): Normalised {
  const id = textAt(payload, 'data.id')
  const attributes = at(payload, 'data.attributes')
  if (id === undefined) return unmapped('incomplete')
  const who = {
    userId: firstText(payload, 'meta.custom_data.user_id', 'meta.custom_data.userId'),
    vendorId: textAt(attributes, 'customer_id'),
    email: textAt(attributes, 'user_email'),
  }
  const content: Content = { id, attributes, who, occurredAt }
  switch (type) {
    case 'order_created':
      return order(content)
    case 'subscription_created':
    case 'subscription_updated':
    case 'subscription_plan_changed':
      return subscription(content, type === 'subscription_created')
    case 'subscription_payment_success':
      return payment(content)
    case 'order_refunded':
      return refunded(content, id)
    case 'subscription_payment_refunded':
      return refunded(content, `invoice-${id}`)
    case 'subscription_expired':
      return churn(content)
    // It runs until the end of the paid period.
    case 'subscription_cancelled':
      return unmapped('not_final')
    default:
      return unmapped('no_rule')
  }
}

const moneyAt = (attributes: unknown, name: string) =>
  fromFormatted(at(attributes, name), at(attributes, 'currency'), at(attributes, `${name}_formatted`))

/** A subscription starts with an order too; only the subscription says which of the two it is. */
function order({ id, attributes, who, occurredAt }: Content): Normalised {
  if (textAt(attributes, 'status') !== 'paid') return unmapped('not_final')
  const line = at(attributes, 'first_order_item')
  const items = line === undefined ? undefined : [toItem(line, textAt(line, 'variant_id'), 'quantity')]
  const made = withMoney(moneyAt(attributes, 'total'), (money) => ({
    event: '$purchase',
    key: `order:${id}`,
    who,
    occurredAt,
    properties: known({ ...money, order_id: id, items }),
  }))
  return { ...made, orderToWaitFor: made.unmapped === null ? id : null }
}

function subscription({ id, attributes, who, occurredAt }: Content, isStart: boolean): Normalised {
  const plan = firstText(attributes, 'variant_name', 'product_name')
  if (plan === undefined || occurredAt === null) return unmapped('incomplete')
  return stated({
    kind: 'subscription',
    id,
    asOf: (isStart ? timeAt(attributes, 'created_at', 'iso') : undefined) ?? occurredAt,
    who,
    plan,
    isTrial: isStart ? textAt(attributes, 'status') === 'on_trial' : undefined,
    orderId: textAt(attributes, 'order_id'),
    isStart,
  })
}

/** The subscription itself has no price: the first payment does. */
function payment({ id, attributes, who, occurredAt }: Content): Normalised {
  const subscriptionId = textAt(attributes, 'subscription_id')
  const money = moneyAt(attributes, 'total')
  const reason = textAt(attributes, 'billing_reason')
  if (reason === 'initial' && subscriptionId !== undefined && occurredAt !== null) {
    if (money === null) return unmapped('amount_unknown')
    return stated({ kind: 'subscription', id: subscriptionId, asOf: occurredAt, who, price: money })
  }
  if (reason !== 'renewal') return unmapped('told_elsewhere')
  return withMoney(money, (total) => ({
    event: '$purchase',
    key: `invoice:${id}`,
    who,
    occurredAt,
    properties: known({
      ...total,
      order_id: `invoice-${id}`,
      renewal: true,
      subscription_id: subscriptionId,
    }),
  }))
}

/** The amount is the sum of all refunds of the order so far. */
function refunded({ attributes, who, occurredAt }: Content, orderId: string): Normalised {
  const total = moneyAt(attributes, 'refunded_amount')
  if (total === null || occurredAt === null) return unmapped('amount_unknown')
  return stated({ kind: 'refunded', orderId, total, asOf: occurredAt, who })
}

function churn({ id, attributes, who, occurredAt }: Content): Normalised {
  const endedAt = timeAt(attributes, 'ends_at', 'iso') ?? occurredAt
  return mapped({
    event: '$churn',
    key: `subscription:${id}:ended`,
    who,
    occurredAt: endedAt,
    properties: known({
      reason: 'expired',
      plan: firstText(attributes, 'variant_name', 'product_name'),
      tenure_days: tenureDays(timeAt(attributes, 'created_at', 'iso'), endedAt),
      subscription_id: id,
    }),
  })
}
