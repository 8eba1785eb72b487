import { type checkDuplicate, formatShare, type Output, printedText } from '@assay/contract'
import { hourMs, minuteMs } from '../../platform/units.ts'

/** As much of an event as is compared. Empty text stands for unknown. */
export type DedupRecord = {
  eventId: string
  name: string
  ms: number | null
  personId: string
  anonymousId: string
  source: string
  properties: Readonly<Record<string, unknown>>
}

type DedupAnswer = Output<typeof checkDuplicate>

/** Algorithms §3.5. */
const weights = { properties: 0.45, identity: 0.2, time: 0.2, source: 0.15 } as const
const duplicateLeast = 0.9
const likelyLeast = 0.7
/** Two orders are two, however alike they look. */
const differentOrderMost = 0.3
/** The same thing done again later is another one, unless an order says otherwise. */
const laterMost = 0.6

const secondMs = 1_000
const revenueNames: ReadonlySet<string> = new Set(['$purchase', '$subscribe', '$refund', 'payment_failed'])
const windows: readonly (readonly [pattern: RegExp, ms: number])[] = [
  [/^(\$pageview|\$click|click|rage_click|page|screen)$/, 2 * secondMs],
  [/form|\$signup|\$lead/, 10 * minuteMs],
]
const windowMsDefault = 10 * secondMs

/** Names of properties that differ between two tellings of the same thing. */
const volatile =
  /^(ts|time|timestamp|sent_at|received_at|created_at|request_id|message_id|event_id|nonce|session_id)$/i
const orderNames = ['order_id', 'transaction_id', 'orderId', 'transactionId'] as const

export function compareRecords(a: DedupRecord, b: DedupRecord): DedupAnswer {
  if (a.eventId !== '' && a.eventId === b.eventId) return exact()
  if (a.name !== b.name) return answer(0, ['the events have different names'], noParts)
  const parts = {
    properties: similarity(tokensOf(a.properties), tokensOf(b.properties)),
    identity: identityOf(a, b),
    time: timeOf(a, b),
    source: a.source === b.source ? 1 : 0,
  }
  const sum =
    weights.properties * parts.properties +
    weights.identity * parts.identity +
    weights.time * parts.time +
    weights.source * parts.source
  const order = ordersOf(a, b)
  const score = bounded(sum, order, parts.time, revenueNames.has(a.name))
  return answer(score, reasonsOf(parts, order), parts)
}

const noParts = { properties: 0, identity: 0, time: 0, source: 0 }

function exact(): DedupAnswer {
  return answer(1, ['the event ids are the same'], { properties: 1, identity: 1, time: 1, source: 1 })
}

function bounded(sum: number, order: Orders, time: number, isRevenue: boolean): number {
  if (order === 'different') return Math.min(sum, differentOrderMost)
  if (order === 'same' && isRevenue) return Math.max(sum, duplicateLeast)
  return time === 0 ? Math.min(sum, laterMost) : sum
}

function answer(score: number, reasons: string[], parts: DedupAnswer['parts']): DedupAnswer {
  const rounded = Math.min(1, Math.round(score * 10_000) / 10_000)
  const verdict = rounded >= duplicateLeast ? 'duplicate' : rounded >= likelyLeast ? 'likely' : 'distinct'
  return { duplicate: verdict === 'duplicate', verdict, score: rounded, reasons, parts }
}

type Orders = 'same' | 'different' | 'unknown'

function ordersOf(a: DedupRecord, b: DedupRecord): Orders {
  const orderOf = ({ properties }: DedupRecord) =>
    orderNames.map((name) => properties[name]).find((value) => value !== undefined && value !== '')
  const [one, other] = [orderOf(a), orderOf(b)]
  if (one === undefined || other === undefined) return 'unknown'
  return printedText(one) === printedText(other) ? 'same' : 'different'
}

function identityOf(a: DedupRecord, b: DedupRecord): number {
  if (a.personId !== '' && a.personId === b.personId) return 1
  return a.anonymousId !== '' && a.anonymousId === b.anonymousId ? 0.8 : 0
}

function timeOf(a: DedupRecord, b: DedupRecord): number {
  if (a.ms === null || b.ms === null) return 0
  return Math.max(0, 1 - Math.abs(a.ms - b.ms) / windowOf(a.name))
}

function windowOf(name: string): number {
  if (revenueNames.has(name)) return 24 * hourMs
  return windows.find(([pattern]) => pattern.test(name))?.[1] ?? windowMsDefault
}

/** An order weighs more than a colour: what names one thing says more than what describes it. */
function weightOf(name: string): number {
  return /(^|_)id$|Id$|^sku$/.test(name) ? 3 : 1
}

function tokensOf(properties: Readonly<Record<string, unknown>>): Map<string, number> {
  const names = Object.keys(properties).filter((name) => !volatile.test(name))
  return new Map(names.map((name) => [`${name}=${canonical(properties[name])}`, weightOf(name)]))
}

/** Members in the order of their names, numbers as JavaScript writes them: as RFC 8785 has it. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}

/** What both have, of what either has. */
function similarity(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const all = new Map([...a, ...b])
  let [shared, total] = [0, 0]
  for (const [token, weight] of all) {
    total += weight
    if (a.has(token) && b.has(token)) shared += weight
  }
  return total === 0 ? 1 : shared / total
}

function reasonsOf(parts: DedupAnswer['parts'], order: Orders): string[] {
  return [
    ...(order === 'same' ? ['the order is the same'] : []),
    ...(order === 'different' ? ['the orders are different'] : []),
    parts.properties === 1
      ? 'the properties are the same'
      : `${formatShare(parts.properties)} of the properties are the same`,
    ...(parts.identity === 1 ? ['the person is the same'] : []),
    ...(parts.identity === 0.8 ? ['the device is the same'] : []),
    parts.time > 0 ? 'the times lie close together' : 'the times lie too far apart, or are unknown',
    parts.source === 1 ? 'they came from the same source' : 'they came from different sources',
  ]
}
