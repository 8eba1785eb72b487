import { difference, type Money } from './money.ts'
import { type Fact, known, type NormalisedEvent, type Who } from './normal-form.ts'

/** What is stored between deliveries, by `factKey`. */
export type Memory = {
  plan?: string
  /** Time of the stored plan, so that a late delivery does not restore an old one. */
  planAsOf?: number
  price?: Money
  interval?: string
  isTrial?: boolean
  startedAt?: number
  who?: Who
  refunded?: number
}

export function factKey(fact: Fact): string {
  return fact.kind === 'subscription' ? `subscription:${fact.id}` : `refunded:${fact.orderId}`
}

export type Folded = { memory: Memory; events: readonly NormalisedEvent[] }

/** Adds a fact to the memory. Repeated and late facts change nothing and give no event, or the same one. */
export function foldFact(memory: Memory | null, fact: Fact): Folded {
  return fact.kind === 'subscription'
    ? foldSubscription(memory ?? {}, fact)
    : foldRefunded(memory ?? {}, fact)
}

function foldSubscription(before: Memory, fact: Extract<Fact, { kind: 'subscription' }>): Folded {
  const isNewer = fact.plan !== undefined && fact.asOf >= (before.planAsOf ?? 0)
  const isChange = isNewer && before.plan !== undefined && before.plan !== fact.plan
  const startedAt = fact.isStart === true ? fact.asOf : before.startedAt
  const memory: Memory = {
    ...before,
    ...(isNewer && fact.plan !== undefined && { plan: fact.plan, planAsOf: fact.asOf }),
    ...(fact.price !== undefined && { price: fact.price }),
    ...(fact.interval !== undefined && { interval: fact.interval }),
    ...(fact.isTrial !== undefined && { isTrial: fact.isTrial }),
    ...(startedAt !== undefined && { startedAt }),
    who: { ...before.who, ...known(fact.who) },
  }
  const started = before.startedAt === undefined || !isWhole(before) ? startOf(fact.id, memory) : null
  const change = isChange ? changeOf(before, memory, fact) : null
  return { memory, events: [started, change].filter((event) => event !== null) }
}

function isWhole({ plan, price, startedAt }: Memory): boolean {
  return plan !== undefined && price !== undefined && startedAt !== undefined
}

/** The start is reported as soon as plan and price are known, in either order. */
function startOf(
  id: string,
  { plan, price, startedAt, interval, isTrial, who }: Memory,
): NormalisedEvent | null {
  if (plan === undefined || price === undefined || startedAt === undefined) return null
  return {
    event: '$subscribe',
    key: `subscription:${id}:started`,
    who: who ?? {},
    occurredAt: startedAt,
    properties: known({ plan, ...price, interval, trial: isTrial, subscription_id: id }),
  }
}

function changeOf(
  before: Memory,
  after: Memory,
  { id, asOf, price }: Extract<Fact, { kind: 'subscription' }>,
): NormalisedEvent {
  const isLower =
    price !== undefined && before.price?.currency === price.currency && price.amount < before.price.amount
  return {
    event: '$upgrade',
    key: `subscription:${id}:plan:${after.plan}:${asOf}`,
    who: after.who ?? {},
    occurredAt: asOf,
    properties: known({
      from_plan: before.plan,
      to_plan: after.plan,
      ...price,
      direction: isLower ? 'downgrade' : undefined,
      subscription_id: id,
    }),
  }
}

/** Some vendors send only the sum of all refunds of an order; each event is the difference. */
function foldRefunded(before: Memory, fact: Extract<Fact, { kind: 'refunded' }>): Folded {
  const earlier = before.refunded ?? 0
  const amount = difference(fact.total, earlier)
  if (amount <= 0) return { memory: before, events: [] }
  const event: NormalisedEvent = {
    event: '$refund',
    key: `refund:${fact.orderId}:${fact.total.amount}`,
    who: fact.who,
    occurredAt: fact.asOf,
    properties: known({
      amount,
      currency: fact.total.currency,
      order_id: fact.orderId,
      reason: fact.reason,
    }),
  }
  return { memory: { ...before, refunded: fact.total.amount }, events: [event] }
}
