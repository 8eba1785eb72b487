import type { Job } from '../platform/scheduler.ts'
import type { Kept } from './cache/report-cache.ts'

/** As long as a cached report counts as fresh. */
const refreshReportsMs = 60_000

export function analyticsJobs({ kept }: { kept: Kept }): Job[] {
  return [[refreshReportsMs, 'cached reports', () => kept.refresh()]]
}
