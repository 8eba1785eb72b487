import { fromFormatted } from '../money.ts'
import {
  fullName,
  identify,
  known,
  mapped,
  type Normalised,
  type NormalisedEvent,
  unmapped,
  type Who,
  withMoney,
} from '../normal-form.ts'
import { at, firstText, flagAt, listAt, textAt, timeAt } from '../payload.ts'
import { standardSecretRefusal, standardWebhooks } from '../standard-webhooks.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const clerk: Vendor = {
  provider: 'clerk',
  normalise,
  secretRefusal: standardSecretRefusal,
  verify: standardWebhooks({ brands: ['svix'] }),
  read: (body, header) =>
    readObject(body, (payload) => ({
      id: header('svix-id') ?? null,
      type: textAt(payload, 'type') ?? 'unknown',
      occurredAt: timeAt(payload, 'timestamp', 'ms') ?? null,
    })),
}

function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const data = at(payload, 'data')
  switch (type) {
    case 'user.created':
      return mapped(signup(data, occurredAt), person(data, id, occurredAt))
    case 'user.updated':
      return mapped(person(data, id, occurredAt))
    case 'session.created':
      return mapped(...signIn(data, occurredAt))
    case 'session.ended':
    case 'session.removed':
    case 'session.revoked':
      return signOut(data, occurredAt)
    case 'organizationInvitation.created':
      return mapped({
        event: '$invite',
        key: `invitation:${textAt(data, 'id')}`,
        who: { userId: firstText(data, 'inviter_user_id', 'inviter_id') },
        occurredAt,
        properties: known({ channel: 'email', invite_code: textAt(data, 'id') }),
      })
    case 'subscriptionItem.active':
      return subscribe(data, occurredAt)
    case 'subscriptionItem.ended':
      return churn(data, occurredAt)
    case 'paymentAttempt.updated':
      return payment(data, occurredAt)
    default:
      return unmapped('no_rule')
  }
}

const isEmailOf = (data: unknown, address: unknown) =>
  textAt(address, 'id') === textAt(data, 'primary_email_address_id')

function emailOf(data: unknown): string | undefined {
  const address = listAt(data, 'email_addresses').find((one) => isEmailOf(data, one))
  return textAt(address, 'email_address')
}

function userOf(data: unknown): Who {
  return { userId: firstText(data, 'external_id', 'id'), email: emailOf(data) }
}

function signup(data: unknown, occurredAt: number | null): NormalisedEvent {
  const social = textAt(data, 'external_accounts.0.provider')?.replace(/^oauth_/, '')
  const method = social ?? (flagAt(data, 'password_enabled') === true ? 'password' : 'email')
  const key = `user:${textAt(data, 'id')}:signup`
  return { event: '$signup', key, who: userOf(data), occurredAt, properties: { method } }
}

function person(data: unknown, id: string | null, occurredAt: number | null): NormalisedEvent {
  const name = fullName(textAt(data, 'first_name'), textAt(data, 'last_name'))
  return identify(`identify:${id}`, userOf(data), occurredAt, { email: emailOf(data), name })
}

/** The sign-in method is not sent; a configured second factor does not mean that it was used. */
function signIn(data: unknown, occurredAt: number | null): NormalisedEvent[] {
  const sessionId = textAt(data, 'id')
  const who = { userId: textAt(data, 'user_id') }
  return [
    { event: '$login', key: `session:${sessionId}:login`, who, occurredAt, properties: { method: 'clerk' } },
    {
      event: '$session_start',
      key: `session:${sessionId}:start`,
      who,
      occurredAt,
      properties: known({ session_id: sessionId }),
    },
  ]
}

function signOut(data: unknown, occurredAt: number | null): Normalised {
  const sessionId = textAt(data, 'id')
  const startedAt = timeAt(data, 'created_at', 'ms')
  if (startedAt === undefined || occurredAt === null) return unmapped('incomplete')
  const properties = known({ session_id: sessionId, duration_ms: Math.max(0, occurredAt - startedAt) })
  const who = { userId: textAt(data, 'user_id') }
  return mapped({ event: '$session_end', key: `session:${sessionId}:end`, who, occurredAt, properties })
}

function payerOf(data: unknown): Who {
  return {
    userId: firstText(data, 'payer.user_id', 'payer.organization_id'),
    email: textAt(data, 'payer.email'),
  }
}

const moneyAt = (data: unknown, path: string) =>
  fromFormatted(
    at(data, `${path}.amount`),
    at(data, `${path}.currency`),
    at(data, `${path}.amount_formatted`),
  )

function subscribe(data: unknown, occurredAt: number | null): Normalised {
  const plan = firstText(data, 'plan.slug', 'plan.name')
  // Everyone starts on the free default plan.
  if (flagAt(data, 'plan.is_default') === true) return unmapped('no_rule')
  if (plan === undefined) return unmapped('incomplete')
  return withMoney(moneyAt(data, 'amount'), (price) => ({
    event: '$subscribe',
    key: `subscription:${textAt(data, 'id')}:started`,
    who: payerOf(data),
    occurredAt,
    properties: known({
      plan,
      ...price,
      interval: textAt(data, 'plan_period'),
      trial: flagAt(data, 'is_free_trial') ?? false,
      subscription_id: textAt(data, 'id'),
    }),
  }))
}

function churn(data: unknown, occurredAt: number | null): Normalised {
  if (flagAt(data, 'plan.is_default') === true) return unmapped('no_rule')
  return mapped({
    event: '$churn',
    key: `subscription:${textAt(data, 'id')}:ended`,
    who: payerOf(data),
    occurredAt,
    properties: known({
      reason: 'ended',
      plan: firstText(data, 'plan.slug', 'plan.name'),
      subscription_id: textAt(data, 'id'),
    }),
  })
}

function payment(data: unknown, occurredAt: number | null): Normalised {
  if (textAt(data, 'status') !== 'paid') return unmapped('not_final')
  const isRenewal = textAt(data, 'charge_type') === 'recurring'
  // The checkout of a subscription is paid with its start.
  const isStart = !isRenewal && listAt(data, 'subscription_items').length > 0
  if (isStart) return unmapped('told_elsewhere')
  return withMoney(moneyAt(data, 'totals.grand_total'), (money) => ({
    event: '$purchase',
    key: `payment:${firstText(data, 'payment_id', 'id')}`,
    who: payerOf(data),
    occurredAt,
    properties: known({
      ...money,
      order_id: firstText(data, 'payment_id', 'id'),
      renewal: isRenewal ? true : undefined,
    }),
  }))
}
