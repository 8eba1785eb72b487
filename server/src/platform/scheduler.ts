import type { Failures } from './failures.ts'

/** How often, the part that fails when it does, and what is done: told of each item that fails, it goes on. */
export type Job = readonly [
  everyMs: number,
  part: string,
  work: (onFailure: (error: unknown) => void) => Promise<unknown>,
]

/** Answers how to stop; that waits for what is under way. */
export function startRepeating(
  jobs: readonly Job[],
  failures: Pick<Failures, 'report' | 'recovered'>,
): () => Promise<void> {
  const stops = jobs.map(([everyMs, part, work]) => repeat(everyMs, () => runOnce(part, work, failures)))
  return async () => void (await Promise.all(stops.map((stop) => stop())))
}

/** Never rejects. A part has recovered when all of a run went well. */
async function runOnce(
  part: string,
  work: Job[2],
  failures: Pick<Failures, 'report' | 'recovered'>,
): Promise<void> {
  let hasFailed = false
  const onFailure = (error: unknown) => {
    hasFailed = true
    failures.report(part, error)
  }
  try {
    await work(onFailure)
  } catch (error) {
    onFailure(error)
  }
  if (!hasFailed) failures.recovered(part)
}

/** Again and again, never twice at a time. Stopping waits for what is under way. */
function repeat(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  const run = () => {
    running ??= work().finally(() => {
      running = null
    })
  }
  const timer = setInterval(run, everyMs)
  return async () => {
    clearInterval(timer)
    await running
  }
}
