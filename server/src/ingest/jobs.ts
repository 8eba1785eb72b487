import type { Platform } from '../platform/platform.ts'
import type { Job } from '../platform/scheduler.ts'
import type { DeadLetters } from './dead-letters/dead-letters.ts'
import { cityDatabasePart } from './enrich/country/place-lookup.ts'
import type { Ingest } from './ingest.ts'

type Needs = Pick<Platform, 'failures' | 'now' | 'refreshPlaces'> & {
  deadLetters: DeadLetters
  ingest: Pick<Ingest, 'recent'>
}

const removeOldMs = 6 * 3_600_000
/** Space for the letters in the file is freed by people's decisions. */
const refileLettersMs = 10 * 60_000
/** Letters may be added or decided on another node. */
const countLettersMs = 30_000
/** A fraction of the hours for which they are listed. */
const removeRecentMs = 10 * 60_000

/** A new city database comes once or twice a week; to ask whether there is one costs nothing. */
const refreshPlacesMs = 10 * 60_000

export function ingestJobs({ failures, now, deadLetters, ingest, refreshPlaces }: Needs): Job[] {
  const countLetters = async () => {
    if ((await deadLetters.count()) === 0) failures.recovered('dead letters')
  }
  return [
    [refileLettersMs, 'dead-letter file', () => deadLetters.refile()],
    [removeOldMs, 'old dead letters', () => deadLetters.forgetOld()],
    // In memory only: a wrong clock loses nothing that is stored.
    [removeRecentMs, 'old recent events', async () => ingest.recent.forgetOld(now()), 'each node'],
    [countLettersMs, 'count of dead letters', countLetters, 'each node'],
    [refreshPlacesMs, cityDatabasePart, () => refreshPlaces(), 'each node'],
  ]
}
