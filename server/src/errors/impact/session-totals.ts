import { KeyNumbers } from '../../analytics/sequences/key-numbers.ts'
import type { PaymentRows } from './payment-rows.ts'

/** What a customer has paid in each session so far; asked for every payment in the order of time. */
export class SessionTotals {
  readonly #rows: PaymentRows
  readonly #sessions = new KeyNumbers()
  /** Each session of each customer. */
  readonly #pairs = new KeyNumbers()
  readonly #totals: Float64Array
  /** The time of the last payment, and what was paid before it. */
  readonly #lastMs: Float64Array
  readonly #before: Float64Array

  constructor(rows: PaymentRows) {
    this.#rows = rows
    this.#totals = new Float64Array(rows.count)
    this.#lastMs = new Float64Array(rows.count).fill(-Infinity)
    this.#before = new Float64Array(rows.count)
  }

  /** What was paid before this payment in its session. */
  paidBefore(customer: number, row: number): number {
    const { session, ms, paid } = this.#rows
    const [low, high] = [session[row * 2] ?? 0, session[row * 2 + 1] ?? 0]
    if (low === 0 && high === 0) return 0
    const pair = this.#pairs.take(this.#sessions.take(low, high), customer)
    const [at, total] = [ms[row] ?? 0, this.#totals[pair] ?? 0]
    if (at > (this.#lastMs[pair] ?? 0)) {
      this.#before[pair] = total
      this.#lastMs[pair] = at
    }
    this.#totals[pair] = total + (paid[row] ?? 0)
    return this.#before[pair] ?? 0
  }
}
