import type { CurrentPeople } from '../../analytics/tally/event-rows.ts'
import { readBlocks } from '../../analytics/tally/native-blocks.ts'
import type { OrderCell } from './order-value.ts'
import { paymentColumns, segmentBy, type ValueLimits } from './value-store.ts'

type Payment = {
  /** Keys as text; empty for none. */
  person: string
  session: string
  ms: number
  /** Less than nothing for a refund. */
  paid: number
  /** A purchase of the current period. */
  isOrder: boolean
  cohort: string
}

/** The payments of one person in the order of time; what was paid before each, in all and in the same session. */
type Customer = { payments: readonly Payment[]; totals: readonly number[] }

const types = paymentColumns.map(([, type]) => type)
const noKey = '0 0'

/** All payments and refunds of a year, by person. */
export class Payments {
  // bounded: by paymentsMax.
  readonly #customers = new Map<string, Customer>()
  readonly #loose: readonly Payment[]

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    const all = readPayments(bytes)
    for (const [person, own] of Map.groupBy(all, (payment) => payment.person)) {
      const payments = own.toSorted((one, other) => one.ms - other.ms)
      let total = 0
      const totals = payments.map(({ paid }) => (total += paid))
      if (person !== noKey) this.#customers.set(person, { payments, totals })
    }
    this.#loose = all.filter(({ person }) => person === noKey)
  }

  /** The customers by the numbers that their people have among the rows. */
  numbered({ personNumber }: Pick<CurrentPeople, 'personNumber'>): (person: number, ms: number) => number {
    // bounded: as the customers.
    const byNumber = new Map<number, Customer>()
    for (const [person, customer] of this.#customers) {
      const [high = 0, low = 0] = person.split(' ').map(Number)
      byNumber.set(personNumber(low, high), customer)
    }
    return (person, ms) => {
      const customer = byNumber.get(person)
      return customer === undefined ? 0 : toPlaces(paidBefore(customer, ms))
    }
  }

  /** As `selectValueLimits`. */
  limits(): ValueLimits {
    const nets = Array.from(this.#customers.values(), ({ totals }) => toPlaces(totals.at(-1) ?? 0))
      .filter((net) => net > 0)
      .sort((one, other) => other - one)
    const limitOf = (share: number) => nets[Math.ceil(nets.length * share)] ?? 0
    return { high: limitOf(0.1), medium: limitOf(0.5) }
  }

  /** As `selectOrderCells`. */
  orderCells(limits: ValueLimits): OrderCell[] {
    const orders = [
      ...Array.from(this.#customers.values(), ordersOf).flat(),
      ...this.#loose.filter(({ isOrder }) => isOrder).map((payment) => ({ ...payment, net: 0 })),
    ]
    const sizes = orders.map(({ paid }) => paid).sort((one, other) => one - other)
    const cap = sizes[Math.floor(sizes.length * 0.99)] ?? 0
    // bounded: by segments and cohorts.
    const cells = new Map<string, OrderCell & { orders: number; sum: number; squares: number }>()
    for (const { paid, cohort, net } of orders) {
      const segment = segmentBy(net, limits)
      const own = segment === 'new_visitor' ? cohort : ''
      const cell = cells.get(`${segment} ${own}`) ?? { segment, cohort: own, orders: 0, sum: 0, squares: 0 }
      cells.set(`${segment} ${own}`, cell)
      const capped = Math.min(paid, cap)
      cell.orders += 1
      cell.sum += capped
      cell.squares += capped * capped
    }
    return [...cells.values()]
  }
}

/** The orders of a customer, each with what they had paid before it outside of its session. */
function ordersOf(customer: Customer): (Payment & { net: number })[] {
  // bounded: by the sessions of one customer.
  const bySession = new Map<string, Customer>()
  for (const [session, payments] of Map.groupBy(customer.payments, (payment) => payment.session)) {
    let total = 0
    bySession.set(session, { payments, totals: payments.map(({ paid }) => (total += paid)) })
  }
  return customer.payments
    .filter(({ isOrder }) => isOrder)
    .map((payment) => {
      const own = payment.session === noKey ? undefined : bySession.get(payment.session)
      const within = own === undefined ? 0 : paidBefore(own, payment.ms)
      return { ...payment, net: toPlaces(paidBefore(customer, payment.ms) - within) }
    })
}

/** What was paid before this time. */
function paidBefore({ payments, totals }: Customer, ms: number): number {
  let [low, high] = [0, payments.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((payments[middle]?.ms ?? 0) < ms) low = middle + 1
    else high = middle
  }
  return totals[low - 1] ?? 0
}

/** Four, as amounts are stored. */
const toPlaces = (sum: number) => Math.round(sum * 10_000) / 10_000

function readPayments(bytes: Uint8Array<ArrayBuffer>): Payment[] {
  return readBlocks(bytes, types).flatMap(({ rows, columns }) => {
    const [person, session, ms, paid, order, cohort] = columns
    if (person?.kind !== 'pairs' || session?.kind !== 'pairs' || order?.kind !== 'bytes') return []
    if (ms?.kind !== 'pairs' || paid?.kind !== 'pairs' || cohort?.kind !== 'texts') return []
    const keyOf = (pairs: Uint32Array, row: number) => `${pairs[row * 2 + 1]} ${pairs[row * 2]}`
    const [times, amounts] = [new Float64Array(ms.pairs.buffer), new Float64Array(paid.pairs.buffer)]
    return Array.from({ length: rows }, (_, row) => ({
      person: keyOf(person.pairs, row),
      session: keyOf(session.pairs, row),
      ms: times[row] ?? 0,
      paid: amounts[row] ?? 0,
      isOrder: order.bytes[row] === 1,
      cohort: cohort.texts[cohort.numbers[row] ?? 0] ?? '',
    }))
  })
}
