import { fromMinor, type Money } from '../money.ts'
import { known, mapped, type Normalised, unmapped, type Who, withMoney } from '../normal-form.ts'
import { at, flagAt, isPayload, textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const github: Vendor = {
  provider: 'github',
  normalise,
  // GitHub also sends a SHA-1 header, which is not read.
  verify: bodyHmac({
    headers: ['x-hub-signature-256'],
    prefix: 'sha256=',
    encoding: 'hex',
    digest: 'SHA-256',
  }),
  // A form-encoded body is signed as well, but it is not JSON and refused as unreadable.
  read: (body, header) =>
    readObject(body, () => {
      const type = header('x-github-event') ?? 'unknown'
      return { id: header('x-github-delivery') ?? null, type, isHandshake: type === 'ping' }
    }),
}

/** The type of event is in an unsigned header, so the body has to match it. */
function normalise({ type, payload }: VendorEvent): Normalised {
  switch (type) {
    case 'marketplace_purchase':
      return isPayload(payload.marketplace_purchase) ? marketplace(payload) : unmapped('unexpected_shape')
    case 'sponsorship':
      return isPayload(payload.sponsorship) ? sponsorship(payload) : unmapped('unexpected_shape')
    default:
      return unmapped('no_rule')
  }
}

function priceOf(purchase: unknown): Money | null {
  const cycle = textAt(purchase, 'billing_cycle') === 'yearly' ? 'yearly' : 'monthly'
  const isPerUnit = textAt(purchase, 'plan.price_model')?.toLowerCase().replace('_', '-') === 'per-unit'
  const units = isPerUnit ? (at(purchase, 'unit_count') ?? 1) : 1
  return fromMinor('github', at(purchase, `plan.${cycle}_price_in_cents`), 'USD', units)
}

function marketplace(payload: unknown): Normalised {
  const purchase = at(payload, 'marketplace_purchase')
  const action = textAt(payload, 'action')
  const accountId = textAt(purchase, 'account.id')
  const date = textAt(payload, 'effective_date')
  const who: Who = { vendorId: accountId, email: textAt(purchase, 'account.organization_billing_email') }
  const plan = textAt(purchase, 'plan.name')
  const base = {
    key: `marketplace:${accountId}:${action}:${date}`,
    who,
    occurredAt: timeAt(payload, 'effective_date', 'iso') ?? null,
  }
  if (plan === undefined || date === undefined) return unmapped('incomplete')
  if (action === 'cancelled')
    return mapped({ ...base, event: '$churn', properties: { reason: 'cancelled', plan } })
  if (action === 'purchased') {
    const interval = textAt(purchase, 'billing_cycle') === 'yearly' ? 'year' : 'month'
    return withMoney(priceOf(purchase), (price) => ({
      ...base,
      event: '$subscribe',
      properties: { plan, ...price, interval, trial: flagAt(purchase, 'on_free_trial') ?? false },
    }))
  }
  if (action !== 'changed') return unmapped('no_rule')
  const before = at(payload, 'previous_marketplace_purchase')
  return upgrade(base, textAt(before, 'plan.name'), plan, priceOf(before), priceOf(purchase))
}

type Base = { key: string; who: Who; occurredAt: number | null }

function upgrade(
  base: Base,
  fromPlan: string | undefined,
  toPlan: string | undefined,
  oldPrice: Money | null,
  newPrice: Money | null,
): Normalised {
  if (fromPlan === undefined || toPlan === undefined || fromPlan === toPlan) return unmapped('incomplete')
  const isLower = oldPrice !== null && newPrice !== null && newPrice.amount < oldPrice.amount
  const properties = known({
    from_plan: fromPlan,
    to_plan: toPlan,
    ...newPrice,
    direction: isLower ? 'downgrade' : undefined,
  })
  return mapped({ ...base, event: '$upgrade', properties })
}

const tierPrice = (tier: unknown) => fromMinor('github', at(tier, 'monthly_price_in_cents'), 'USD')

function sponsorship(payload: unknown): Normalised {
  const action = textAt(payload, 'action')
  const content = at(payload, 'sponsorship')
  const id = textAt(content, 'node_id')
  const tier = at(content, 'tier')
  const plan = textAt(tier, 'name')
  const base: Base = {
    key: `sponsorship:${id}:${action}`,
    who: { vendorId: textAt(content, 'sponsor.id') },
    occurredAt: timeAt(content, 'created_at', 'iso') ?? null,
  }
  if (plan === undefined || id === undefined) return unmapped('incomplete')
  if (action === 'created') {
    return withMoney(tierPrice(tier), (price) =>
      flagAt(tier, 'is_one_time') === true
        ? { ...base, event: '$purchase', properties: { ...price, order_id: id } }
        : { ...base, event: '$subscribe', properties: { plan, ...price, interval: 'month', trial: false } },
    )
  }
  const withoutTime = { ...base, occurredAt: null }
  if (action === 'cancelled') {
    return mapped({ ...withoutTime, event: '$churn', properties: { reason: 'cancelled', plan } })
  }
  if (action !== 'tier_changed') return unmapped('no_rule')
  const before = at(payload, 'changes.tier.from')
  const key = `${base.key}:${textAt(before, 'node_id')}:${textAt(tier, 'node_id')}`
  return upgrade({ ...withoutTime, key }, textAt(before, 'name'), plan, tierPrice(before), tierPrice(tier))
}
