import type { Clock } from '../../platform/clock.ts'
import { minuteMs } from '../../platform/units.ts'
import type { NeededDays } from './needed-days.ts'

/** For how long a question about as many days of a site is not tried again. */
const largeMs = 10 * minuteMs
const largeMax = 1_000

/** Sites with too many events for the memory, with how many days were asked for. */
export class LargeSites {
  readonly #now: Clock
  // bounded: by largeMax.
  readonly #found = new Map<string, { untilMs: number; days: number }>()

  constructor(now: Clock) {
    this.#now = now
  }

  has(key: string, needed: NeededDays): boolean {
    const found = this.#found.get(nameOf(key, needed))
    return found !== undefined && found.untilMs > this.#now() && needed.days.length >= found.days
  }

  add(key: string, needed: NeededDays): void {
    if (this.#found.size >= largeMax) this.#found.clear()
    this.#found.set(nameOf(key, needed), { untilMs: this.#now() + largeMs, days: needed.days.length })
  }
}

/** Sums of many more days fit. */
const nameOf = (key: string, { days, ofRows }: NeededDays) =>
  days.length === ofRows.length ? key : `${key} sums`
