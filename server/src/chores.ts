/** How often, what to say when it fails, and what is done. */
export type Chore = readonly [everyMs: number, failure: string, work: () => Promise<unknown>]

/** Answers how to stop; that waits for what is under way. */
export function startRepeating(chores: readonly Chore[], tell: (line: string) => void): () => Promise<void> {
  const stops = chores.map(([everyMs, failure, work]) =>
    repeat(everyMs, work, (error) => tell(`${failure}: ${error}`)),
  )
  return async () => void (await Promise.all(stops.map((stop) => stop())))
}

/** Again and again, never twice at a time. Stopping waits for what is under way. */
function repeat(
  everyMs: number,
  work: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> | null = null
  const run = () => {
    running ??= work()
      .then(() => {}, onFailure)
      .finally(() => {
        running = null
      })
  }
  const timer = setInterval(run, everyMs)
  return async () => {
    clearInterval(timer)
    await running
  }
}
