import type { Job } from '../platform/scheduler.ts'
import type { People } from './people.ts'

/** Only what could not be synced at once is left for this job. */
const syncMappingMs = 15_000

export function identityJobs({ people }: { people: People }): Job[] {
  return [[syncMappingMs, 'identity mapping', (onFailure) => people.mapping.followAll(onFailure)]]
}
