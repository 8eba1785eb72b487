/** Gives every stored event a unique, increasing number. */
export type Arrivals = { next: (receivedMs: number) => number }

/** Events per millisecond before the numbers run ahead of the clock; the numbers stay exact integers. */
const perMs = 1_000

/**
 * Numbers increase on a node, even if its clock is set back, and start with the time of arrival, so that
 * those of several nodes fit together. `last` is the latest number given before this start.
 */
export function createArrivals(last: number): Arrivals {
  let latest = last
  return {
    next(receivedMs) {
      latest = Math.max(latest + 1, arrivalAt(receivedMs))
      return latest
    },
  }
}

/** The first number of a moment. */
export function arrivalAt(receivedMs: number): number {
  return Math.max(0, Math.trunc(receivedMs)) * perMs
}
