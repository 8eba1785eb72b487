import { accountJobs } from '../auth/jobs.ts'
import { analyticsJobs } from '../analytics/jobs.ts'
import { attributionJobs } from '../attribution/jobs.ts'
import { audienceJobs } from '../audiences/jobs.ts'
import { destinationJobs } from '../destinations/jobs.ts'
import { driftJobs } from '../drift/jobs.ts'
import { healthJobs } from '../event-health/jobs.ts'
import { identityJobs } from '../identity/jobs.ts'
import { ingestJobs } from '../ingest/jobs.ts'
import { startRepeating } from '../platform/scheduler.ts'
import { privacyJobs } from '../privacy/jobs.ts'
import { removalNowMs } from '../privacy/retention/event-retention.ts'
import { replayJobs } from '../replays/jobs.ts'
import { transferJobs } from '../transfers/jobs.ts'
import { webhookJobs } from '../webhooks/jobs.ts'
import type { Deps } from './deps.ts'

/** Every module's jobs. */
const moduleJobs = [
  accountJobs,
  identityJobs,
  ingestJobs,
  webhookJobs,
  replayJobs,
  destinationJobs,
  privacyJobs,
  transferJobs,
  analyticsJobs,
  audienceJobs,
  attributionJobs,
  driftJobs,
  healthJobs,
] as const

/** Starts them all; answers how to stop. */
export function startJobs(deps: Deps, drainMsMax: number): () => Promise<void> {
  const needs = {
    ...deps,
    flushLog: () => deps.writer.flush(drainMsMax),
    removalNowMs: () => removalNowMs(deps),
  }
  return startRepeating(
    moduleJobs.flatMap((jobsOf) => jobsOf(needs)),
    deps.failures,
  )
}
