import { readBase64, readUtf8 } from '../bytes.ts'
import { fromMajor, fromMinor, type Money } from '../money.ts'
import {
  fullName,
  identify,
  known,
  mapped,
  type Normalised,
  stated,
  tenureDays,
  unmapped,
  type Who,
  withMoney,
} from '../normal-form.ts'
import { at, firstText, flagAt, listAt, textAt, timeAt } from '../payload.ts'
import { findShared } from '../schemes.ts'
import { sameText } from '../signature.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'
import {
  malformedHeader,
  mismatch,
  missingHeader,
  refuse,
  type Signed,
  type Verification,
} from '../verification.ts'

type Login = { user: string; password: string }

const notLogin = 'Configure the Basic login of the webhook as user:password.'

/** A password may contain colons, a user name may not. */
function readLogin(text: string): Login | null {
  const colon = text.indexOf(':')
  return colon <= 0 || colon === text.length - 1
    ? null
    : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** Chargebee does not sign: it sends the login of the endpoint, which is configured as `user:password`. */
async function verify({ header, secrets }: Signed): Promise<Verification> {
  if (secrets.some((secret) => readLogin(secret) === null)) {
    return refuse('secret_unreadable', notLogin)
  }
  const sent = header('authorization')
  if (sent === undefined) return missingHeader('Authorization')
  const bytes = /^basic /i.test(sent) ? readBase64(sent.slice('basic '.length).trim()) : null
  const login = readLogin((bytes && readUtf8(bytes)) ?? '')
  if (login === null) return malformedHeader('Authorization')
  const secretIndex = await findShared(secrets, async (secret) => {
    const known = readLogin(secret)
    const answers = await Promise.all([
      sameText(known?.user ?? '', login.user),
      sameText(known?.password ?? '', login.password),
    ])
    return !answers.includes(false)
  })
  return secretIndex === null ? mismatch : { ok: true, secretIndex, signedAt: null }
}

export const chargebee: Vendor = {
  provider: 'chargebee',
  normalise,
  secretRefusal: (secret) => (readLogin(secret) === null ? notLogin : null),
  hasLocalIds: true,
  verify,
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'id') ?? null,
      type: textAt(payload, 'event_type') ?? 'unknown',
      occurredAt: timeAt(payload, 'occurred_at', 's') ?? null,
    })),
}

/** Prices with more than two places come as exact text next to the rounded value. */
function moneyAt(object: unknown, name: string, currency: unknown): Money | null {
  return (
    fromMajor(at(object, `${name}_in_decimal`), currency) ??
    fromMinor('chargebee', at(object, name), currency)
  )
}

function whoOf(content: unknown): Who {
  return {
    vendorId: firstText(content, 'customer.id', 'subscription.customer_id', 'transaction.customer_id'),
    email: textAt(content, 'customer.email'),
  }
}

function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const content = at(payload, 'content')
  switch (type) {
    case 'subscription_created':
    case 'subscription_activated':
      return subscription(content, occurredAt, true)
    case 'subscription_changed':
      return subscription(content, occurredAt, false)
    case 'payment_succeeded':
      return payment(content, occurredAt)
    case 'payment_refunded':
      return refund(content, occurredAt)
    case 'subscription_cancelled':
      return churn(content, occurredAt)
    case 'customer_created':
    case 'customer_changed': {
      const customer = at(content, 'customer')
      const name = fullName(textAt(customer, 'first_name'), textAt(customer, 'last_name'))
      const who = whoOf(content)
      return mapped(identify(`identify:${id}`, who, occurredAt, { email: who.email, name }))
    }
    default:
      return unmapped('no_rule')
  }
}

/** The newer catalog lists items, the older one has one plan. */
function planOf(subscription: unknown): { plan: string | undefined; price: Money | null } {
  const currency = at(subscription, 'currency_code')
  const item = listAt(subscription, 'subscription_items').find((one) => textAt(one, 'item_type') === 'plan')
  return item === undefined
    ? { plan: textAt(subscription, 'plan_id'), price: moneyAt(subscription, 'plan_amount', currency) }
    : { plan: textAt(item, 'item_price_id'), price: moneyAt(item, 'amount', currency) }
}

function subscription(content: unknown, occurredAt: number | null, isStart: boolean): Normalised {
  const object = at(content, 'subscription')
  const id = textAt(object, 'id')
  const status = textAt(object, 'status')
  const { plan, price } = planOf(object)
  if (id === undefined || plan === undefined || occurredAt === null) return unmapped('incomplete')
  if (isStart && status === 'future') return unmapped('not_final')
  return stated({
    kind: 'subscription',
    id,
    asOf: (isStart ? timeAt(object, 'started_at', 's') : undefined) ?? occurredAt,
    who: whoOf(content),
    plan,
    price: price ?? undefined,
    interval: textAt(object, 'billing_period_unit'),
    isTrial: isStart ? status === 'in_trial' : undefined,
    isStart,
  })
}

/** The first invoice of a subscription belongs to its start, unless that was a trial and cost nothing. */
function payment(content: unknown, occurredAt: number | null): Normalised {
  const invoice = at(content, 'invoice')
  const isRecurring = flagAt(invoice, 'recurring') === true
  const isAfterTrial = timeAt(content, 'subscription.trial_end', 's') !== undefined
  if (isRecurring && flagAt(invoice, 'first_invoice') === true && !isAfterTrial)
    return unmapped('told_elsewhere')
  const transaction = at(content, 'transaction')
  return withMoney(moneyAt(transaction, 'amount', at(transaction, 'currency_code')), (money) => ({
    event: '$purchase',
    key: `transaction:${textAt(transaction, 'id')}`,
    who: whoOf(content),
    occurredAt,
    properties: known({
      ...money,
      order_id: textAt(invoice, 'id'),
      renewal: isRecurring ? true : undefined,
      subscription_id: textAt(content, 'subscription.id') ?? textAt(invoice, 'subscription_id'),
    }),
  }))
}

function refund(content: unknown, occurredAt: number | null): Normalised {
  const transaction = at(content, 'transaction')
  return withMoney(moneyAt(transaction, 'amount', at(transaction, 'currency_code')), (money) => ({
    event: '$refund',
    key: `transaction:${textAt(transaction, 'id')}`,
    who: whoOf(content),
    occurredAt,
    properties: known({
      ...money,
      order_id: textAt(content, 'invoice.id'),
      reason: firstText(content, 'credit_note.create_reason_code', 'credit_note.reason_code'),
    }),
  }))
}

function churn(content: unknown, occurredAt: number | null): Normalised {
  const object = at(content, 'subscription')
  const endedAt = timeAt(object, 'cancelled_at', 's') ?? occurredAt
  return mapped({
    event: '$churn',
    key: `subscription:${textAt(object, 'id')}:ended:${endedAt}`,
    who: whoOf(content),
    occurredAt: endedAt,
    properties: known({
      reason: firstText(object, 'cancel_reason_code', 'cancel_reason') ?? 'unspecified',
      plan: planOf(object).plan,
      tenure_days: tenureDays(timeAt(object, 'started_at', 's'), endedAt),
      subscription_id: textAt(object, 'id'),
    }),
  })
}
