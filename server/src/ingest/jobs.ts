import type { Platform } from '../platform/platform.ts'
import type { Job } from '../platform/scheduler.ts'
import type { DeadLetters } from './dead-letters/dead-letters.ts'
import { forgetOldHeld } from '../quarantine/quarantine.ts'

type Needs = Pick<Platform, 'events' | 'failures'> & {
  deadLetters: DeadLetters
  /** The time by which old things may be removed for good. */
  removalNowMs: () => Promise<number>
}

/** Whole months are removed, so there is no hurry. */
const removeOldMs = 6 * 3_600_000
/** Room for what is in the file comes by decisions of people. */
const refileLettersMs = 10 * 60_000
/** Another node may have set lines aside, or somebody decided there. */
const countLettersMs = 30_000

export function ingestJobs({ events, failures, deadLetters, removalNowMs }: Needs): Job[] {
  const countLetters = async () => {
    if ((await deadLetters.count()) === 0) failures.recovered('dead letters')
  }
  return [
    [removeOldMs, 'old quarantined events', async () => forgetOldHeld(events, await removalNowMs())],
    [refileLettersMs, 'dead-letter file', () => deadLetters.refile()],
    [removeOldMs, 'old dead letters', () => deadLetters.forgetOld()],
    [countLettersMs, 'count of dead letters', countLetters],
  ]
}
