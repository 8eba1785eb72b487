import type { Platform } from '../platform/platform.ts'
import type { Job } from '../platform/scheduler.ts'
import type { DeadLetters } from './dead-letters/dead-letters.ts'

type Needs = Pick<Platform, 'failures'> & { deadLetters: DeadLetters }

const removeOldMs = 6 * 3_600_000
/** Room for what is in the file comes by decisions of people. */
const refileLettersMs = 10 * 60_000
/** Another node may have set lines aside, or somebody decided there. */
const countLettersMs = 30_000

export function ingestJobs({ failures, deadLetters }: Needs): Job[] {
  const countLetters = async () => {
    if ((await deadLetters.count()) === 0) failures.recovered('dead letters')
  }
  return [
    [refileLettersMs, 'dead-letter file', () => deadLetters.refile()],
    [removeOldMs, 'old dead letters', () => deadLetters.forgetOld()],
    [countLettersMs, 'count of dead letters', countLetters],
  ]
}
