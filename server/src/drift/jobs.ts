import type { Job } from '../platform/scheduler.ts'
import { checkDueSites, type DriftNeeds } from './drift.ts'

/** A site is checked every hour; this is how soon it is its turn. */
const checkMs = 10 * 60_000

export function driftJobs(needs: DriftNeeds): Job[] {
  return [[checkMs, 'drift', (onFailure) => checkDueSites(needs, onFailure)]]
}
