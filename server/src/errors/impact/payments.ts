import { KeyNumbers } from '../../analytics/sequences/key-numbers.ts'
import type { CurrentPeople } from '../../analytics/tally/event-rows.ts'
import { orderedBy } from '../../analytics/tally/tally.ts'
import type { OrderCell } from './order-value.ts'
import { type PaymentRows, readPayments } from './payment-rows.ts'
import { SessionTotals } from './session-totals.ts'
import { segmentBy, type ValueLimits } from './value-store.ts'

/** All payments and refunds of a year, in the order of people and then of time; those of no person last. */
export class Payments {
  readonly #rows: PaymentRows
  /** The keys of the customers, and where their payments begin; those without a person begin at the last start. */
  readonly #customers: readonly (readonly [low: number, high: number])[]
  readonly #starts: Int32Array
  readonly #ms: Float64Array
  /** What the customer had paid in all, with this payment. */
  readonly #totals: Float64Array
  readonly #order: Int32Array

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    const rows = readPayments(bytes)
    const { numberOf, keys } = customersOf(rows)
    const { order, starts } = orderedBy(numberOf, keys.length + 1)
    for (let number = 0; number <= keys.length; number += 1)
      sortByTime(order.subarray(starts[number] ?? 0, starts[number + 1] ?? 0), rows.ms)
    this.#rows = rows
    this.#customers = keys
    this.#starts = starts
    this.#order = order
    this.#ms = Float64Array.from(order, (row) => rows.ms[row] ?? 0)
    this.#totals = totalsOf(rows, order, starts)
  }

  /** What people had paid before a time, by the numbers that they have among the rows. */
  numbered({ people, personNumber }: CurrentPeople): (person: number, ms: number) => number {
    const customerOf = new Int32Array(people).fill(-1)
    for (const [customer, [low, high]] of this.#customers.entries()) {
      const person = personNumber(low, high)
      if (person !== -1) customerOf[person] = customer
    }
    return (person, ms) => {
      const customer = customerOf[person] ?? -1
      return customer === -1 ? 0 : toPlaces(this.#paidBefore(customer, ms))
    }
  }

  #paidBefore(customer: number, ms: number): number {
    const start = this.#starts[customer] ?? 0
    let [low, high] = [start, this.#starts[customer + 1] ?? 0]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#ms[middle] ?? 0) < ms) low = middle + 1
      else high = middle
    }
    return low === start ? 0 : (this.#totals[low - 1] ?? 0)
  }

  /** As `selectValueLimits`. */
  limits(): ValueLimits {
    const nets = Float64Array.from(this.#customers, (_, customer) =>
      toPlaces(this.#totals[(this.#starts[customer + 1] ?? 0) - 1] ?? 0),
    )
      .filter((net) => net > 0)
      .sort()
      .reverse()
    const limitOf = (share: number) => nets[Math.ceil(nets.length * share)] ?? 0
    return { high: limitOf(0.1), medium: limitOf(0.5) }
  }

  /** As `selectOrderCells`. */
  orderCells(limits: ValueLimits): OrderCell[] {
    const { paid, isOrder, cohort } = this.#rows
    const cap = this.#capOfOrders()
    const within = new SessionTotals(this.#rows)
    // bounded: by segments and cohorts.
    const cells = new Map<string, OrderCell & { orders: number; sum: number; squares: number }>()
    const add = (row: number, net: number) => {
      const segment = segmentBy(net, limits)
      const own = segment === 'new_visitor' ? (cohort[row] ?? '') : ''
      const cell = cells.get(`${segment} ${own}`) ?? { segment, cohort: own, orders: 0, sum: 0, squares: 0 }
      cells.set(`${segment} ${own}`, cell)
      const capped = Math.min(paid[row] ?? 0, cap)
      cell.orders += 1
      cell.sum += capped
      cell.squares += capped * capped
    }
    for (let customer = 0; customer < this.#customers.length; customer += 1)
      for (let at = this.#starts[customer] ?? 0; at < (this.#starts[customer + 1] ?? 0); at += 1) {
        const row = this.#order[at] ?? 0
        const before = within.paidBefore(customer, row)
        if (isOrder[row] === 1) add(row, toPlaces(this.#paidBefore(customer, this.#ms[at] ?? 0) - before))
      }
    for (const row of this.#order.subarray(this.#starts[this.#customers.length] ?? 0))
      if (isOrder[row] === 1) add(row, 0)
    return [...cells.values()]
  }

  #capOfOrders(): number {
    const { paid, isOrder } = this.#rows
    const sizes = paid.filter((_, row) => isOrder[row] === 1).sort()
    return sizes[Math.floor(sizes.length * 0.99)] ?? 0
  }
}

/** The customer of each payment; the number after the last one where it has no person. */
function customersOf({ count, person }: PaymentRows): {
  numberOf: Int32Array
  keys: (readonly [low: number, high: number])[]
} {
  const numbers = new KeyNumbers()
  const keys: (readonly [low: number, high: number])[] = []
  const numberOf = new Int32Array(count)
  for (let row = 0; row < count; row += 1) {
    const [low, high] = [person[row * 2] ?? 0, person[row * 2 + 1] ?? 0]
    if (low === 0 && high === 0) {
      numberOf[row] = -1
      continue
    }
    const number = numbers.take(low, high)
    if (number === keys.length) keys.push([low, high])
    numberOf[row] = number
  }
  return { numberOf: numberOf.map((number) => (number === -1 ? keys.length : number)), keys }
}

/** Nearly always it is one payment, or they are in order. */
function sortByTime(rows: Int32Array, ms: Float64Array): void {
  const timeOf = (row: number | undefined) => ms[row ?? 0] ?? 0
  for (let at = 1; at < rows.length; at += 1) {
    if (timeOf(rows[at - 1]) <= timeOf(rows[at])) continue
    rows.sort((one, other) => timeOf(one) - timeOf(other) || one - other)
    return
  }
}

function totalsOf({ paid }: PaymentRows, order: Int32Array, starts: Int32Array): Float64Array {
  const totals = new Float64Array(order.length)
  for (let number = 0; number + 1 < starts.length; number += 1) {
    let total = 0
    for (let at = starts[number] ?? 0; at < (starts[number + 1] ?? 0); at += 1) {
      total += paid[order[at] ?? 0] ?? 0
      totals[at] = total
    }
  }
  return totals
}

/** Four, as amounts are stored. */
const toPlaces = (sum: number) => Math.round(sum * 10_000) / 10_000
