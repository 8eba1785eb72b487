import type { Platform } from '../platform/platform.ts'
import type { Job } from '../platform/scheduler.ts'
import { deleteOldQuarantined } from './quarantine.ts'

type Needs = Pick<Platform, 'events'> & {
  /** The time by which old things may be removed for good. */
  removalNowMs: () => Promise<number>
}

/** Whole months are removed, so there is no hurry. */
const removeOldMs = 6 * 3_600_000

export function quarantineJobs({ events, removalNowMs }: Needs): Job[] {
  return [
    [removeOldMs, 'old quarantined events', async () => deleteOldQuarantined(events, await removalNowMs())],
  ]
}
