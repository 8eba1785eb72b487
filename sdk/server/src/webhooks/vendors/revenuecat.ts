import { fromMajor, type Money, positive } from '../money.ts'
import { known, mapped, type Normalised, tenureDays, unmapped, type Who, withMoney } from '../normal-form.ts'
import { at, flagAt, numberAt, textAt, timeAt } from '../payload.ts'
import { authorizationSecret, stampedHmac } from '../schemes.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

const header = 'x-revenuecat-webhook-signature'

const bySignature = stampedHmac({
  header,
  separator: ',',
  timeName: 't',
  signatureName: 'v1',
  joint: '.',
  unit: 's',
  toleranceS: 300,
})
const byAuthorization = authorizationSecret((secret) => [secret])

export const revenuecat: Vendor = {
  provider: 'revenuecat',
  normalise,
  // Signing is optional. If a signature is sent it has to be valid; the secret alone is not enough.
  verify: (signed) => (signed.header(header) === undefined ? byAuthorization(signed) : bySignature(signed)),
  read: (body) =>
    readObject(body, (payload) => {
      const type = textAt(payload, 'event.type') ?? 'unknown'
      return {
        id: textAt(payload, 'event.id') ?? null,
        type,
        occurredAt: timeAt(payload, 'event.event_timestamp_ms', 'ms') ?? null,
        isTest: textAt(payload, 'event.environment') === 'SANDBOX',
        isHandshake: type === 'TEST',
      }
    }),
}

function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const content = at(payload, 'event')
  switch (type) {
    case 'INITIAL_PURCHASE':
      return subscribe(content, id, occurredAt)
    case 'NON_RENEWING_PURCHASE':
    case 'RENEWAL':
      return purchase(content, id, occurredAt, type === 'RENEWAL')
    case 'PRODUCT_CHANGE':
      return change(content, id, occurredAt)
    case 'CANCELLATION':
      // Every other reason is an intention: it runs until the end of the paid period.
      return textAt(content, 'cancel_reason') === 'CUSTOMER_SUPPORT'
        ? refund(content, id, occurredAt)
        : unmapped('not_final')
    case 'EXPIRATION':
      return churn(content, id, occurredAt)
    default:
      return unmapped('no_rule')
  }
}

/** The vendor generates an id for people whom the app does not name. */
function whoOf(content: unknown): Who {
  const id = textAt(content, 'app_user_id')
  const email = textAt(content, 'subscriber_attributes.$email.value')
  return id?.startsWith('$RCAnonymousID:') ? { vendorId: id, email } : { userId: id, email }
}

/** The plain price is in US dollars; the price paid comes with its currency. */
function moneyOf(content: unknown): Money | null {
  return (
    fromMajor(at(content, 'price_in_purchased_currency'), at(content, 'currency')) ??
    fromMajor(at(content, 'price'), 'USD')
  )
}

const subscriptionOf = (content: unknown, id: string | null) =>
  textAt(content, 'original_transaction_id') ?? textAt(content, 'transaction_id') ?? id

function subscribe(content: unknown, id: string | null, occurredAt: number | null): Normalised {
  const plan = textAt(content, 'product_id')
  if (plan === undefined) return unmapped('incomplete')
  return withMoney(moneyOf(content), (price) => ({
    event: '$subscribe',
    key: `subscription:${subscriptionOf(content, id)}:started`,
    who: whoOf(content),
    occurredAt: timeAt(content, 'purchased_at_ms', 'ms') ?? occurredAt,
    properties: known({
      plan,
      ...price,
      interval: intervalOf(content),
      trial: textAt(content, 'period_type') === 'TRIAL',
      subscription_id: subscriptionOf(content, id),
    }),
  }))
}

const dayMs = 86_400_000
/** Months and years differ in length, and stores give some hours of grace. */
const intervals = [
  { name: 'day', fromDays: 0.5, toDays: 2 },
  { name: 'week', fromDays: 6, toDays: 8 },
  { name: 'month', fromDays: 27, toDays: 33 },
  { name: 'quarter', fromDays: 88, toDays: 94 },
  { name: 'half-year', fromDays: 180, toDays: 186 },
  { name: 'year', fromDays: 360, toDays: 370 },
]

function intervalOf(content: unknown): string | undefined {
  const [from, to] = [numberAt(content, 'purchased_at_ms'), numberAt(content, 'expiration_at_ms')]
  if (from === undefined || to === undefined) return undefined
  const days = (to - from) / dayMs
  return intervals.find(({ fromDays, toDays }) => days >= fromDays && days <= toDays)?.name
}

function purchase(
  content: unknown,
  id: string | null,
  occurredAt: number | null,
  isRenewal: boolean,
): Normalised {
  const orderId = textAt(content, 'transaction_id')
  const sku = textAt(content, 'product_id')
  return withMoney(moneyOf(content), (money) => ({
    event: '$purchase',
    key: `transaction:${orderId ?? id}`,
    who: whoOf(content),
    occurredAt: timeAt(content, 'purchased_at_ms', 'ms') ?? occurredAt,
    properties: known({
      ...money,
      order_id: orderId,
      items: sku === undefined ? undefined : [{ sku, qty: 1 }],
      coupon: textAt(content, 'offer_code'),
      renewal: isRenewal ? true : undefined,
      trial_conversion: flagAt(content, 'is_trial_conversion') === true ? true : undefined,
      subscription_id: isRenewal ? subscriptionOf(content, id) : undefined,
    }),
  }))
}

function change(content: unknown, id: string | null, occurredAt: number | null): Normalised {
  const [fromPlan, toPlan] = [textAt(content, 'product_id'), textAt(content, 'new_product_id')]
  // Some stores do not send the new product before the renewal.
  if (fromPlan === undefined || toPlan === undefined || fromPlan === toPlan) return unmapped('incomplete')
  const properties = { from_plan: fromPlan, to_plan: toPlan, subscription_id: subscriptionOf(content, id) }
  return mapped({
    event: '$upgrade',
    key: `change:${id}`,
    who: whoOf(content),
    occurredAt,
    properties: known(properties),
  })
}

function refund(content: unknown, id: string | null, occurredAt: number | null): Normalised {
  const orderId = textAt(content, 'transaction_id')
  return withMoney(positive(moneyOf(content)), (money) => ({
    event: '$refund',
    key: `refund:${orderId ?? id}`,
    who: whoOf(content),
    occurredAt,
    properties: known({ ...money, order_id: orderId, reason: 'customer_support' }),
  }))
}

function churn(content: unknown, id: string | null, occurredAt: number | null): Normalised {
  const endedAt = timeAt(content, 'expiration_at_ms', 'ms') ?? occurredAt
  return mapped({
    event: '$churn',
    key: `subscription:${subscriptionOf(content, id)}:ended:${endedAt}`,
    who: whoOf(content),
    occurredAt: endedAt,
    properties: known({
      reason: textAt(content, 'expiration_reason')?.toLowerCase() ?? 'unspecified',
      plan: textAt(content, 'product_id'),
      tenure_days: tenureDays(timeAt(content, 'purchased_at_ms', 'ms'), endedAt),
      subscription_id: subscriptionOf(content, id),
    }),
  })
}
