/** Gives every event that is stored a number of its own, each larger than the one before. */
export type Arrivals = { next: (receivedMs: number) => number }

/** So many events fit into a millisecond before the numbers run ahead of the clock; whole numbers stay exact. */
const perMs = 1_000

/**
 * Numbers count upwards on a node, also when its clock is set back, and begin with the time of arrival, so that those
 * of several nodes fit together. `last` is the latest that was given before this start.
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
