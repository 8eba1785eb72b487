import type { Platform } from '../platform/platform.ts'
import type { Job } from '../platform/scheduler.ts'
import type { DeadLetters } from './dead-letters/dead-letters.ts'
import { forgetOldHeld } from './quarantine/quarantine.ts'

type Needs = Pick<Platform, 'events' | 'failures'> & {
  deadLetters: DeadLetters
  /** The time up to which old data may be removed permanently. */
  removalNowMs: () => Promise<number>
}

/** Whole months are removed, so there is no hurry. */
const removeOldMs = 6 * 3_600_000
/** Space for the letters in the file is freed by people's decisions. */
const refileLettersMs = 10 * 60_000
/** Letters may be added or decided on another node. */
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
