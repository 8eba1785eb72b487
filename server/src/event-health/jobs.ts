import type { Job } from '../platform/scheduler.ts'
import type { Health } from './health.ts'

/** Each workspace is checked once an hour; this asks whether one is due. */
const watchMs = 5 * 60_000
/** One statement, and none where no destination wants the notice. */
const watchQuarantineMs = 60_000

export function healthJobs({ health }: { health: Health }): Job[] {
  return [
    [watchMs, 'health of events', (onFailure) => health.watch.look(onFailure)],
    [watchQuarantineMs, 'quarantine share', (onFailure) => health.watchQuarantine(onFailure)],
  ]
}
