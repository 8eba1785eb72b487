export type Loss = { reason: string; count: number }

/** Counts what could not be delivered, so that the server can learn of it: a gap that is known is half as bad. */
export type Losses = {
  add: (reason: string, count?: number) => void
  /** What was not reported yet; afterwards it counts as reported. */
  take: () => Loss[]
  /** Of all reasons, reported or not. */
  total: () => number
}

export function countLosses(onError: ((loss: Loss) => void) | undefined): Losses {
  let counts: Record<string, number> = {}
  let total = 0
  return {
    add(reason, count = 1) {
      // What the server rejected it has counted itself.
      if (reason !== 'rejected') counts[reason] = (counts[reason] ?? 0) + count
      total += count
      try {
        onError?.({ reason, count })
      } catch {
        // The page's own handler failed; the loss is counted, and the page must not break on our account.
      }
    },
    take() {
      const taken = Object.entries(counts).map(([reason, count]) => ({ reason, count }))
      counts = {}
      return taken
    },
    total: () => total,
  }
}

/** Nothing of ours may break the page: what fails is counted instead. */
export function guardWith(losses: Losses) {
  return <Arguments extends unknown[]>(act: (...args: Arguments) => void) =>
    (...args: Arguments): void => {
      try {
        act(...args)
      } catch {
        losses.add('sdk_error')
      }
    }
}
export type Guard = ReturnType<typeof guardWith>
