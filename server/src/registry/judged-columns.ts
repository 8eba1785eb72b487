import { normalOrder, type Verdict } from '@assay/contract'

/** Decimal(18, 4) holds fourteen digits before the point. */
export const amountMax = 1e13

const moneyEvents: ReadonlySet<string> = new Set(['$purchase', '$subscribe', '$upgrade', '$refund'])

/** What an event brings, as reports add it up. */
export function moneyOf({ name, properties }: Verdict): { amount: number | null; currency: string } {
  if (!moneyEvents.has(name)) return { amount: null, currency: '' }
  // Nothing is paid for a trial; what it costs afterwards comes as a purchase.
  if (name === '$subscribe' && properties.trial === true) return { amount: null, currency: '' }
  const { amount, currency } = properties
  if (typeof amount !== 'number' || typeof currency !== 'string') return { amount: null, currency: '' }
  return { amount, currency }
}

/** The order that an event counts for. Only purchases: a refund may come in parts, each with the order's id. */
export function orderOf({ name, outcome, properties }: Verdict): string {
  if (name !== '$purchase' || outcome === 'quarantine') return ''
  const { order_id } = properties
  return typeof order_id === 'string' ? (normalOrder(order_id) ?? '') : ''
}
