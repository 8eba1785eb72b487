import type { Job } from '../platform/scheduler.ts'
import type { ReportCache } from './cache/report-cache.ts'

/** As long as a cached report counts as fresh. */
const refreshReportsMs = 60_000

export function analyticsJobs({ kept }: { kept: ReportCache }): Job[] {
  return [[refreshReportsMs, 'cached reports', () => kept.refresh(), 'each node']]
}
