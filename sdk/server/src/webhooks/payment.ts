import { difference, sumMajor } from './money.ts'
import type { NormalisedEvent, Payment, Refund } from './normal-form.ts'

/** What is stored of a payment, once for each of its names. */
export type PaymentMemory = {
  references: readonly string[]
  isCounted: boolean
  isWaiting: boolean
  orderId?: string
  refunds?: Refunds
}
type Refunds = { byId: Readonly<Record<string, number>>; sum: number; counted: number; currency: string }

type PaymentStep = {
  memory: PaymentMemory
  events: readonly NormalisedEvent[]
  outcome: 'made' | 'waits' | 'told_elsewhere'
}

/** A payment has four or five names; more are no payment. */
const referencesMax = 20
/** Refunds of one payment that are distinguished; a sum covers the rest. */
const refundsMax = 100

/** Adds a report to what is known. Repeats change nothing, and the order of arrival does not matter. */
export function foldPayment(
  memories: readonly PaymentMemory[],
  payment: Payment,
  events: readonly NormalisedEvent[],
  isFinal: boolean,
): PaymentStep {
  const memory = joined(memories, payment.references)
  const elsewhere: PaymentStep = { memory, events: [], outcome: 'told_elsewhere' }
  switch (payment.role) {
    case 'link':
      return elsewhere
    case 'elsewhere':
      return {
        memory: { ...memory, isCounted: true },
        events,
        outcome: events.length > 0 ? 'made' : 'told_elsewhere',
      }
    case 'refund':
      return payment.refund === undefined ? elsewhere : refund(memory, payment.refund, events, isFinal)
    case 'fallback':
      if (!memory.isCounted && !isFinal)
        return { memory: { ...memory, isWaiting: true }, events: [], outcome: 'waits' }
  }
  return memory.isCounted ? elsewhere : counted(memory, events)
}

function counted(memory: PaymentMemory, events: readonly NormalisedEvent[]): PaymentStep {
  const orderId = events[0]?.properties.order_id
  return {
    memory: { ...memory, isCounted: true, ...(typeof orderId === 'string' && { orderId }) },
    events,
    outcome: 'made',
  }
}

/**
 * What was paid back is the larger of both: all refunds one by one, and the largest sum. Only what is not counted yet
 * becomes an event.
 */
function refund(
  before: PaymentMemory,
  { id, money, orderId }: Refund,
  [template]: readonly NormalisedEvent[],
  isFinal: boolean,
): PaymentStep {
  if (template === undefined) return { memory: before, events: [], outcome: 'told_elsewhere' }
  // The order is known when the payment is counted.
  if (before.isWaiting && !before.isCounted && !isFinal)
    return { memory: before, events: [], outcome: 'waits' }
  const { amount, currency } = money
  const known =
    before.refunds?.currency === currency ? before.refunds : { byId: {}, sum: 0, counted: 0, currency }
  const isNew = id !== null && !Object.hasOwn(known.byId, id)
  const byId =
    isNew && Object.keys(known.byId).length < refundsMax ? { ...known.byId, [id]: amount } : known.byId
  const sum = id === null ? Math.max(known.sum, amount) : known.sum
  const single = sumMajor(Object.values(byId), currency)?.amount ?? 0
  const total = Math.max(single, sum)
  const rest = difference({ amount: total, currency }, known.counted)
  const memory: PaymentMemory = {
    ...before,
    refunds: { byId, sum, counted: Math.max(total, known.counted), currency },
  }
  if (rest <= 0) return { memory, events: [], outcome: 'told_elsewhere' }
  const event = {
    ...template,
    key: rest === amount && id !== null ? template.key : `refund:${before.references[0]}:${total}`,
    properties: {
      ...template.properties,
      amount: rest,
      order_id: orderId ?? before.orderId ?? template.properties.order_id,
    },
  }
  return { memory, events: [event], outcome: 'made' }
}

function joined(memories: readonly PaymentMemory[], references: readonly string[]): PaymentMemory {
  const all = [...new Set([...memories.flatMap((one) => one.references), ...references])]
  const orderId = memories.find((one) => one.orderId !== undefined)?.orderId
  const refunds = memories.map((one) => one.refunds).reduce(joinedRefunds, undefined)
  return {
    references: all.slice(0, referencesMax),
    isCounted: memories.some(({ isCounted }) => isCounted),
    isWaiting: memories.some(({ isWaiting }) => isWaiting),
    ...(orderId !== undefined && { orderId }),
    ...(refunds !== undefined && { refunds }),
  }
}

/** Two names that turn out to be of one payment bring the refunds of both; mostly they are the same. */
function joinedRefunds(one: Refunds | undefined, other: Refunds | undefined): Refunds | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    byId: { ...one.byId, ...other.byId },
    sum: Math.max(one.sum, other.sum),
    counted: Math.max(one.counted, other.counted),
    currency: one.currency,
  }
}
