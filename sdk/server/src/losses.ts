import type { ApiProblem } from './problem.ts'

/**
 * Why an event was not delivered.
 * - `queue_full`: the oldest was dropped. `too_large`, `unserialisable`: it could not be sent at all.
 * - `rejected`: the gate refused it. `refused`: the server refused the whole call. If it refused the key,
 *   nothing more
 *   is sent, and later events are counted here without another call of `onError`.
 * - `gave_up`: all attempts failed. `closed`: it came after `close`, or `close` ran out of time.
 */
const lossReasons = [
  'queue_full',
  'too_large',
  'unserialisable',
  'rejected',
  'refused',
  'gave_up',
  'closed',
] as const
export type LossReason = (typeof lossReasons)[number]

export type Loss = {
  reason: LossReason
  count: number
  /** The server's answer, if there was one. */
  problem?: ApiProblem
  /** For rejected events: which one, and what is wrong with it. */
  eventId?: string
  issues?: readonly { code: string; field?: string; message: string }[]
}

export type OnError = (loss: Loss) => void

/** Counts losses and calls the listener; an exception of the listener does not reach the caller. */
export class Losses {
  readonly counts: Record<LossReason, number> = {
    queue_full: 0,
    too_large: 0,
    unserialisable: 0,
    rejected: 0,
    refused: 0,
    gave_up: 0,
    closed: 0,
  }
  readonly #onError: OnError | undefined

  constructor(onError: OnError | undefined) {
    this.#onError = onError
  }

  get total(): number {
    return lossReasons.reduce((sum, reason) => sum + this.counts[reason], 0)
  }

  /** Counts without calling the listener, who already knows why. */
  count(reason: LossReason): void {
    this.counts[reason] += 1
  }

  add(loss: Loss): void {
    if (loss.count === 0) return
    this.counts[loss.reason] += loss.count
    try {
      this.#onError?.(loss)
    } catch {
      // A broken listener must not break the application.
    }
  }
}
