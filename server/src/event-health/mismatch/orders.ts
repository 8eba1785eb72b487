import type { getConversionMismatch, Made } from '@assay/contract'

type Mismatch = Made<typeof getConversionMismatch>
type Order = Mismatch['data'][number]

export type Sighting = {
  orderId: string
  kind: 'browser' | 'server' | 'webhook'
  name: string
  eventId: string
  /** What an ad platform compares: a property of its own, or else the event id. */
  platformId: string
  ms: number
  amount: number | null
  currency: string
}

/** Meta's rules: same name and id within 48 hours is one; within five minutes both are on time. */
const platformWindowMs = 48 * 3_600_000
const lateMs = 5 * 60_000
/** Half a cent. */
const amountTolerance = 0.005

export function reconcile(sightings: readonly Sighting[]): {
  orders: Order[]
  summary: Omit<Mismatch, 'period' | 'data'>
} {
  const kinds = new Set(sightings.map(({ kind }) => kind))
  const byOrder = Map.groupBy(sightings, ({ orderId }) => orderId)
  const orders = [...byOrder].map(([orderId, seen]) => reconcileOne(orderId, seen, kinds))
  const findings: Record<string, number> = {}
  for (const finding of orders.flatMap((order) => order.findings))
    findings[finding] = (findings[finding] ?? 0) + 1
  return { orders, summary: { ...summaryOf(orders), findings } }
}

/** Algorithms §3.4: on fewer orders a share says nothing. */
const ordersLeast = 100
const coverageLeast = 0.75
const coverageMost = 1.25
const overlapLeast = 0.85

function summaryOf(orders: readonly Order[]): Omit<Mismatch, 'period' | 'data' | 'findings'> {
  const browser = orders.filter((order) => order.browser !== null)
  const server = orders.filter((order) => order.server !== null)
  const both = browser.filter((order) => order.platform === 'deduplicated')
  const canTell = browser.length > 0 && server.length > 0
  const coverage = canTell ? server.length / browser.length : null
  const overlap = canTell ? both.length / browser.length : null
  const isOff =
    coverage !== null &&
    overlap !== null &&
    (coverage < coverageLeast || coverage > coverageMost || overlap < overlapLeast)
  return {
    orders: orders.length,
    consistent: orders.filter((order) => order.findings.length === 0).length,
    server_coverage: coverage,
    id_overlap: overlap,
    is_mismatch: isOff && browser.length >= ordersLeast,
  }
}

function reconcileOne(
  orderId: string,
  seen: readonly Sighting[],
  kinds: ReadonlySet<Sighting['kind']>,
): Order {
  const sorted = seen.toSorted((left, right) => left.ms - right.ms || (left.eventId < right.eventId ? -1 : 1))
  const first = (kind: Sighting['kind']) => sorted.find((sighting) => sighting.kind === kind)
  const [browser, server, webhook] = [first('browser'), first('server'), first('webhook')]
  const times = sorted.map(({ ms }) => ms)
  const platform = platformOf(browser, server)
  const missing = (['browser', 'server', 'webhook'] as const).filter(
    (kind) => kinds.has(kind) && first(kind) === undefined,
  )
  return {
    order_id: orderId,
    amounts: amountsOf(sorted),
    browser: toShape(browser),
    server: toShape(server),
    webhook: toShape(webhook),
    gap_ms: sorted.length < 2 ? null : Math.max(...times) - Math.min(...times),
    platform,
    findings: [
      ...missing.map((kind) => `${kind}_missing` as const),
      ...(differs(sorted, isOtherAmount) ? (['amount_differs'] as const) : []),
      ...(differs(sorted, isOtherCurrency) ? (['currency_differs'] as const) : []),
      ...(isLate(browser, server) ? (['late'] as const) : []),
      ...(platform === 'counted_twice' ? (['counted_twice_by_platform'] as const) : []),
    ],
  }
}

/** As many as are worth reading. */
const amountsMost = 10

function amountsOf(sorted: readonly Sighting[]): Order['amounts'] {
  const different: Sighting[] = []
  for (const one of sorted) {
    const isNew = different.every((other) => isOtherAmount(one, other) || isOtherCurrency(one, other))
    if (one.amount !== null && isNew) different.push(one)
  }
  return different.slice(0, amountsMost).map(({ amount, currency }) => ({ amount: amount ?? 0, currency }))
}

function platformOf(browser: Sighting | undefined, server: Sighting | undefined): Order['platform'] {
  if (browser === undefined || server === undefined) return 'single'
  const isSame = browser.name === server.name && browser.platformId === server.platformId
  return isSame && Math.abs(browser.ms - server.ms) <= platformWindowMs ? 'deduplicated' : 'counted_twice'
}

function isLate(browser: Sighting | undefined, server: Sighting | undefined): boolean {
  return browser !== undefined && server !== undefined && Math.abs(browser.ms - server.ms) > lateMs
}

function differs(seen: readonly Sighting[], isOther: (a: Sighting, b: Sighting) => boolean): boolean {
  const [first] = seen
  return first !== undefined && seen.some((sighting) => isOther(first, sighting))
}

function isOtherAmount(a: Sighting, b: Sighting): boolean {
  return a.amount !== null && b.amount !== null && Math.abs(a.amount - b.amount) > amountTolerance
}

function isOtherCurrency(a: Sighting, b: Sighting): boolean {
  return a.currency !== '' && b.currency !== '' && a.currency !== b.currency
}

function toShape(sighting: Sighting | undefined): Order['browser'] {
  if (sighting === undefined) return null
  const { eventId, ms, amount, currency } = sighting
  return { event_id: eventId, at: new Date(ms).toISOString(), amount, currency }
}
