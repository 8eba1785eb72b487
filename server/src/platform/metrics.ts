import { Counter, Gauge, Histogram, Registry } from 'prom-client'

type Verdict = { outcome: string; duplicate: boolean }
type Outcome = 'ok' | 'failed'
const outcomeOf = (hasFailed: boolean): Outcome => (hasFailed ? 'failed' : 'ok')

/** What this process counts for its operators, as Prometheus reads it. */
export type Metrics = {
  registry: Registry
  /** An answer of HTTP; the route by its id, never by its address, which callers choose. */
  answered: (route: string, status: number, seconds: number) => void
  judged: (results: readonly Verdict[]) => void
  jobRan: (job: string, seconds: number, hasFailed: boolean) => void
  stated: (store: 'events' | 'control', seconds: number, hasFailed: boolean) => void
}

/** From the answer of a cache to a read that is too slow. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const statementBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60]
const jobBuckets = [0.01, 0.1, 1, 10, 60, 600]

export function createMetrics(now: () => number): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'assay_http_requests_total',
    help: 'Answers, by route and status',
    labelNames: ['route', 'status'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: 'assay_http_request_seconds',
    help: 'Time until the answer was sent, by route',
    labelNames: ['route'],
    buckets: requestBuckets,
    registers,
  })
  const events = new Counter({
    name: 'assay_events_total',
    help: 'Events judged, by verdict; repeats are counted as duplicate alone',
    labelNames: ['verdict'],
    registers,
  })
  const statementSeconds = new Histogram({
    name: 'assay_store_statement_seconds',
    help: 'Time of statements, by store and outcome',
    labelNames: ['store', 'outcome'],
    buckets: statementBuckets,
    registers,
  })
  const jobs = jobMetrics(registers)
  return {
    registry,
    answered(route, status, seconds) {
      requests.inc({ route, status: String(status) })
      requestSeconds.observe({ route }, seconds)
    },
    judged(results) {
      for (const [verdict, count] of countsOf(results)) events.inc({ verdict }, count)
    },
    stated: (store, seconds, hasFailed) =>
      statementSeconds.observe({ store, outcome: outcomeOf(hasFailed) }, seconds),
    jobRan(job, seconds, hasFailed) {
      jobs.seconds.observe({ job, outcome: outcomeOf(hasFailed) }, seconds)
      if (!hasFailed) jobs.lastRun.set({ job }, now() / 1000)
    },
  }
}

function jobMetrics(registers: Registry[]) {
  const seconds = new Histogram({
    name: 'assay_job_seconds',
    help: 'Time of background jobs, by job and outcome',
    labelNames: ['job', 'outcome'],
    buckets: jobBuckets,
    registers,
  })
  const lastRun = new Gauge({
    name: 'assay_job_last_success_timestamp_seconds',
    help: 'When each background job last ran without a failure',
    labelNames: ['job'],
    registers,
  })
  return { seconds, lastRun }
}

/** One event in most requests, a thousand of a few kinds in others. */
function countsOf(results: readonly Verdict[]): Map<string, number> {
  // bounded: by the verdicts there are.
  const counts = new Map<string, number>()
  for (const { outcome, duplicate } of results) {
    const verdict = duplicate ? 'duplicate' : outcome
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  }
  return counts
}
