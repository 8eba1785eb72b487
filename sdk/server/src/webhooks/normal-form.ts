import type { Money } from './money.ts'
import { numberAt } from './payload.ts'

/** The person, as far as the vendor names them. */
export type Who = {
  /** The customer's own id of the person, if they passed it to the vendor. */
  userId?: string | undefined
  /** The vendor's id of the person. */
  vendorId?: string | undefined
  email?: string | undefined
}

/** One event to track, derived from a delivery. */
export type NormalisedEvent = {
  /** One of the 18, or the customer's own name where a vendor passes it on. */
  event: string
  /** The same for the same fact in every delivery: it becomes the event id. */
  key: string
  who: Who
  occurredAt: number | null
  properties: Readonly<Record<string, unknown>>
  context?: Readonly<Record<string, unknown>>
}

/**
 * A partial statement about a subscription or an order that makes an event only together with others: the
 * plan is in one delivery, the price in another, and a change of plan needs the previous plan.
 */
export type Fact =
  | ({ kind: 'subscription'; id: string; asOf: number; who: Who } & SubscriptionFacts)
  | { kind: 'refunded'; orderId: string; total: Money; asOf: number; who: Who; reason?: string | undefined }

type SubscriptionFacts = {
  plan?: string | undefined
  price?: Money | undefined
  interval?: string | undefined
  isTrial?: boolean | undefined
  /** The order that started it, which must not be counted as a purchase too. */
  orderId?: string | undefined
  /** Whether this delivery reports the start; later ones only report the current state. */
  isStart?: boolean | undefined
}

/**
 * One payment that a vendor reports several times, each time as another thing: a checkout, an invoice, a payment, a
 * charge. It counts once, by the first report that is sure, else by one that waited for such a report.
 */
export type Payment = {
  /** Names of the payment in this delivery; those of one payment overlap. */
  references: readonly string[]
  /**
   * - `report`: it counts, unless another report did.
   * - `fallback`: it counts if nothing else reports the payment.
   * - `elsewhere`: a subscription counts the payment.
   * - `link`: it only says that these names are of one payment.
   * - `refund`: some or all of it was paid back.
   */
  role: 'report' | 'fallback' | 'elsewhere' | 'link' | 'refund'
  refund?: Refund
}

/** Of one refund with its id, or the sum of all so far. */
export type Refund = { id: string | null; money: Money; orderId?: string | undefined }

const unmappedReasons = [
  /** No standard event means this. */
  'no_rule',
  /** Another delivery reports the same and is counted. */
  'told_elsewhere',
  /** Not final: unpaid, pending, or an intention. */
  'not_final',
  /** The amount is missing, or not exact. */
  'amount_unknown',
  /** Something that the standard event requires is not in the payload. */
  'incomplete',
  /** The body does not fit what the unsigned header says it is. */
  'unexpected_shape',
] as const
export type UnmappedReason = (typeof unmappedReasons)[number]

export type Normalised = {
  events: readonly NormalisedEvent[]
  facts: readonly Fact[]
  /** Why no event was derived; null if there is one. */
  unmapped: UnmappedReason | null
  /** The order in `events` may turn out to be the start of a subscription. Wait before counting it. */
  orderToWaitFor: string | null
  /** The payment that this is about, if the vendor reports it several times. */
  payment?: Payment
}

export function mapped(...events: readonly NormalisedEvent[]): Normalised {
  return { events, facts: [], unmapped: null, orderToWaitFor: null }
}

export function unmapped(reason: UnmappedReason): Normalised {
  return { events: [], facts: [], unmapped: reason, orderToWaitFor: null }
}

export function stated(...facts: readonly Fact[]): Normalised {
  return { events: [], facts, unmapped: null, orderToWaitFor: null }
}

/** For events that need an amount: without one they are not counted. */
export function withMoney(money: Money | null, make: (money: Money) => NormalisedEvent): Normalised {
  return money === null ? unmapped('amount_unknown') : mapped(make(money))
}

/** Omits unknown properties, so that none is `undefined`. */
export function known(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).filter(([, value]) => value !== undefined && value !== null),
  )
}

export function identify(
  key: string,
  who: Who,
  occurredAt: number | null,
  traits: Readonly<Record<string, string | undefined>>,
): NormalisedEvent {
  return { event: '$identify', key, who, occurredAt, properties: known(traits) }
}

/** "Ada Lovelace" from two fields that may both be missing. */
export function fullName(first: string | undefined, last: string | undefined): string | undefined {
  const name = [first, last].filter((part) => part !== undefined).join(' ')
  return name === '' ? undefined : name
}

const dayMs = 86_400_000

export function tenureDays(fromMs: number | undefined, toMs: number | null | undefined): number | undefined {
  if (fromMs === undefined || toMs === undefined || toMs === null || toMs < fromMs) return undefined
  return Math.floor((toMs - fromMs) / dayMs)
}

/** A line of an order as in the catalog. */
export function toItem(
  line: unknown,
  sku: string | undefined,
  quantityPath: string,
): Record<string, unknown> {
  return known({ sku, qty: numberAt(line, quantityPath) })
}
