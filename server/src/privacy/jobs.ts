import type { Logger } from '../platform/logging/logger.ts'
import type { Job } from '../platform/scheduler.ts'
import type { Privacy } from './privacy.ts'
import { type RetentionWorld, removeOldEvents } from './retention/event-retention.ts'

type Needs = RetentionWorld & { privacy: Privacy; logger: Logger }

/** Little against the 60 seconds that a request may take, and one cheap question. */
const workOnRequestsMs = 500
const removeOldMs = 6 * 3_600_000
const sweepMs = 3_600_000
/** Whole days go, at the midnight of the site; an hour is how late that may be noticed. */
const removeEventsMs = 3_600_000

export function privacyJobs(needs: Needs): Job[] {
  const { privacy } = needs
  const logger = needs.logger.child({ component: 'event retention' })
  // Each is a lane of its own, so that a long request holds up no short one.
  const workOnRequests: Job = [workOnRequestsMs, 'data-subject requests', () => privacy.work()]
  return [
    ...Array.from({ length: privacy.lanes }, () => workOnRequests),
    [workOnRequestsMs, 'status callbacks', () => privacy.publishChanges()],
    [removeOldMs, 'old exports of people', (onFailure) => privacy.removeOldArchives(onFailure), 'each node'],
    [sweepMs, 'sweep of forgotten people', (onFailure) => privacy.sweepForgotten(onFailure)],
    [removeEventsMs, 'event retention', (onFailure) => removeOldEvents(needs, logger, onFailure)],
  ]
}
