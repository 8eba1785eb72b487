import type { Failures } from './logging/failures.ts'
import type { Metrics } from './metrics.ts'
import type { Tracer } from './tracing/tracer.ts'

/**
 * Interval, the component that its failures are reported for, and the work, which reports failed items and
 * continues. A job of each node is about its own memory or disk; the others run where the role `jobs` is.
 */
export type Job = readonly [
  everyMs: number,
  part: string,
  work: (onFailure: (error: unknown) => void) => Promise<unknown>,
  where?: 'each node',
]

/** Jobs that run more often only ask whether there is work: their spans would be nearly all that there are. */
const tracedMsMin = 5_000

/** Returns how to stop; that waits for running work. */
export function startRepeating(
  jobs: readonly Job[],
  failures: Pick<Failures, 'report' | 'recovered'>,
  ran: Metrics['jobRan'] = () => {},
  tracer: Tracer | null = null,
): () => Promise<void> {
  const traced = ([everyMs, part, work]: Job): Job[2] =>
    tracer === null || everyMs < tracedMsMin
      ? work
      : (onFailure) => tracer.run({ name: `job ${part}` }, () => work(onFailure))
  const stops = jobs.map((job) => {
    const [everyMs, part] = job
    const work = traced(job)
    return repeat(everyMs, () => runOnce(part, work, failures, ran))
  })
  return async () => void (await Promise.all(stops.map((stop) => stop())))
}

/** Never rejects. A component has recovered after a run without failures. */
async function runOnce(
  part: string,
  work: Job[2],
  failures: Pick<Failures, 'report' | 'recovered'>,
  ran: Metrics['jobRan'],
): Promise<void> {
  const startedMs = performance.now()
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
  ran(part, (performance.now() - startedMs) / 1000, hasFailed)
}

/** Runs repeatedly, never concurrently. Stopping waits for running work. */
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
