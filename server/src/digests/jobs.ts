import type { Running } from '../platform/module.ts'
import type { Job } from '../platform/scheduler.ts'
import { hourMs, minuteMs } from '../platform/units.ts'
import type { Sending } from './sending/sender.ts'

/** Digests are due at full hours: a minute late is in time. */
const sendMs = minuteMs
const removeOldMs = 6 * hourMs

export function digestJobs(sending: Sending, { removalNowMs }: Running): Job[] {
  return [
    [sendMs, 'digests', (onFailure) => sending.work(onFailure)],
    [removeOldMs, 'old digests', async () => sending.forgetOld(await removalNowMs())],
  ]
}
