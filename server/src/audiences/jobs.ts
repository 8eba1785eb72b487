import type { Job } from '../platform/scheduler.ts'
import { type AudienceWorld, refreshDue } from './audiences.ts'

/** Asks which audiences are due; each says itself how often that is. */
const refreshMs = 60_000

export function audienceJobs(needs: AudienceWorld): Job[] {
  return [[refreshMs, 'audiences', (onFailure) => refreshDue(needs, onFailure)]]
}
