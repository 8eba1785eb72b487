import type { Job } from '../platform/scheduler.ts'
import type { Outgoing } from './dispatch.ts'

/** Events that go out follow within a second of being stored; without a destination it asks nothing. */
const sendMs = 500
const removeOldMs = 6 * 3_600_000
/** A full queue may grow by what a minute brings. */
const boundQueuesMs = 60_000

export function destinationJobs({ outgoing }: { outgoing: Outgoing }): Job[] {
  return [
    [sendMs, 'deliveries', (onFailure) => outgoing.sending.work(onFailure)],
    [removeOldMs, 'old deliveries', () => outgoing.forgetOld()],
    [boundQueuesMs, 'queues of destinations', (onFailure) => outgoing.boundQueues(onFailure)],
  ]
}
