/**
 * Concurrent callers share the next run: it starts after the last of them has deleted its rows, and costs the
 * same for one as for many.
 */
export function sharedRun(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  return () => {
    next ??= current
      .catch(() => {})
      .then(() => {
        next = null
        current = run()
        return current
      })
    return next
  }
}
