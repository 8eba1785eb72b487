import type { SeenIds } from './seen-ids.ts'

/** How the first event with an id fared. After `failed` the repeat is no repeat any more and starts anew. */
export type FirstOutcome = 'stored' | 'failed'

export type InFlight = {
  /**
   * Says that the event with this id, which was just added to the seen ids, is stored once `durable` fulfils. Must
   * follow the add without a pause in between. If `durable` rejects, the id is taken from the seen ids again.
   */
  reserve(hi: number, lo: number, durable: Promise<unknown>): void
  /** To be asked about every id that was seen: while its first event is being written, its outcome; else undefined. */
  find(hi: number, lo: number): Promise<FirstOutcome> | undefined
  readonly size: number
}

/** The ids whose events share one promise, as the callers of one group of the log do: one handler for all of them. */
type Flight = { durable: Promise<unknown>; outcome: Promise<FirstOutcome>; ids: number[] }

/** A repeat must not be acknowledged before its first event is on disk, nor be refused as a duplicate of a failure. */
export function createInFlight(seenIds: SeenIds): InFlight {
  const flights = new Map<number, Flight>()
  let latest: Flight | undefined

  function begin(durable: Promise<unknown>): Flight {
    const ids: number[] = []
    const outcome = durable.then(
      () => land(ids, false),
      () => land(ids, true),
    )
    return { durable, outcome, ids }
  }

  /** Runs before anyone who waits for the outcome, so that a repeat told of a failure finds the id unseen. */
  function land(ids: readonly number[], hasFailed: boolean): FirstOutcome {
    if (latest?.ids === ids) latest = undefined
    for (let index = 0; index < ids.length; index += 2) {
      const hi = ids[index] ?? 0
      const lo = ids[index + 1] ?? 0
      flights.delete(keyOf(hi, lo))
      if (hasFailed) seenIds.remove(hi, lo)
    }
    return hasFailed ? 'failed' : 'stored'
  }

  return {
    reserve(hi, lo, durable) {
      if (latest?.durable !== durable) latest = begin(durable)
      latest.ids.push(hi, lo)
      flights.set(keyOf(hi, lo), latest)
    },
    find: (hi, lo) => flights.get(keyOf(hi, lo))?.outcome,
    get size() {
      return flights.size
    },
  }
}

/** The upper 53 bits, the most that a number holds exactly: a chance meeting among thousands is out of the question. */
function keyOf(hi: number, lo: number): number {
  return hi * 2_097_152 + (lo >>> 11)
}
