export type Loss = { reason: string; count: number }

/** Counts what could not be delivered and reports it to the server, so that gaps are known. */
export type Losses = {
  add: (reason: string, count?: number) => void
  /** Returns what was not reported yet, and marks it as reported. */
  take: () => Loss[]
  /** For all reasons, reported or not. */
  total: () => number
}

export function countLosses(onError: ((loss: Loss) => void) | undefined): Losses {
  let counts: Record<string, number> = {}
  let total = 0
  return {
    add(reason, count = 1) {
      // The server has already counted what it rejected.
      if (reason !== 'rejected') counts[reason] = (counts[reason] ?? 0) + count
      total += count
      try {
        onError?.({ reason, count })
      } catch {
        // The page's own handler failed; the loss is counted, and we must not break the page.
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

/** Our errors must never break the page: they are counted instead. */
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
