import { logNormal, pick, type Random, repeats } from '../random.ts'
import { addTo, siteTally } from '../tally.ts'
import { coerced, mappedToPurchase, mappedToSignup } from './bad-events.ts'
import type { Scribe } from './scribe.ts'
import type { Expected, Properties } from './wire.ts'

/** Shares that the reconciliation of orders can be checked against; `tally.orders` has the exact counts. */
export const orderShares = {
  /** The browser's report is lost to a blocker. */
  browserLost: 0.06,
  /** The server's report is lost to a fault of the customer's. */
  serverLost: 0.03,
  /** Both came, and the server's amount includes shipping that the browser's does not. */
  differing: 0.01,
  /** The browser still sends the name of an older tracking plan. */
  oldName: 0.04,
  /** The browser sends the amount as a string. */
  amountAsText: 0.005,
  refunded: 0.04,
  partlyRefunded: 0.3,
} as const

export type Refund = { readonly amount: number; readonly currency: string; readonly orderId: string }

/** Yen has no minor unit; the other currencies here have two digits. */
function price(amount: number, currency: string): number {
  return currency === 'JPY' ? Math.round(amount) : Math.round(amount * 100) / 100
}

/** An order, reported by browser and server under different event ids. Returns its later refund, if any. */
export function placeOrder(scribe: Scribe): Refund | null {
  const { random, ids, tally } = scribe.world
  const { site, region } = scribe.visit
  const orders = siteTally(tally, site.key).orders
  const { currency } = region
  const amount = price(logNormal(random, site.priceMedian, 0.6) * region.perEuro, currency)
  const orderId = ids.order()
  const items = Array.from({ length: 1 + repeats(random, 0.4, 5) }, () => ({
    sku: `NW-${1000 + Math.floor(random() * 1200)}`,
    qty: 1 + repeats(random, 0.15, 3),
  }))
  const isBrowserLost = random() < orderShares.browserLost
  const isServerLost = !isBrowserLost && random() < orderShares.serverLost
  const isDiffering = !isBrowserLost && !isServerLost && random() < orderShares.differing
  let isSent = false
  if (!isBrowserLost) isSent = sendBrowserOrder(scribe, { amount, currency, order_id: orderId, items })
  if (!isServerLost) {
    scribe.pause(isBrowserLost ? 1_500 : 4_000)
    const total = isDiffering ? price(amount + 4.9 * region.perEuro, currency) : amount
    isSent =
      scribe.sendFromServer('$purchase', { amount: total, currency, order_id: orderId, items }) || isSent
  }
  if (!isSent) return null
  if (isBrowserLost) orders.serverOnly += 1
  else if (isServerLost) orders.browserOnly += 1
  else orders.both += 1
  if (isDiffering) orders.differing += 1
  addTo(siteTally(tally, site.key).revenue, currency, amount)
  return planRefund(random, amount, currency, orderId)
}

function sendBrowserOrder(scribe: Scribe, order: Properties & { amount: number }): boolean {
  const draw = scribe.world.random()
  if (draw < orderShares.oldName) return scribe.send('Order Completed', order, mappedToPurchase)
  if (draw >= 1 - orderShares.amountAsText) {
    return scribe.send('$purchase', { ...order, amount: order.amount.toString() }, coerced)
  }
  return scribe.send('$purchase', order)
}

function planRefund(random: Random, amount: number, currency: string, orderId: string): Refund | null {
  if (random() >= orderShares.refunded) return null
  const share = random() < orderShares.partlyRefunded ? 0.2 + random() * 0.6 : 1
  return { amount: price(amount * share, currency), currency, orderId }
}

export function signUp(scribe: Scribe): boolean {
  const { random } = scribe.world
  const properties = { method: pick(random, ['email', 'email', 'google', 'github']), plan: 'trial' }
  const isOldName = random() < 0.05
  const expected: Expected | undefined = isOldName ? mappedToSignup : undefined
  return scribe.send(isOldName ? 'registration_complete' : '$signup', properties, expected)
}

export function subscribe(scribe: Scribe): boolean {
  const { random, tally } = scribe.world
  const { site } = scribe.visit
  const plan = pick(random, site.plans)
  const isYearly = random() < 0.3
  // Ten months for twelve, the usual discount for paying a year ahead.
  const amount = price(isYearly ? plan.price * 10 : plan.price, site.currency)
  const isSent = scribe.send('$subscribe', {
    plan: plan.name,
    amount,
    currency: site.currency,
    interval: isYearly ? 'year' : 'month',
    trial: false,
  })
  if (isSent) addTo(siteTally(tally, site.key).revenue, site.currency, amount)
  return isSent
}
