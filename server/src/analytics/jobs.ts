import type { Job } from '../platform/scheduler.ts'
import { minuteMs } from '../platform/units.ts'
import type { ReportCache } from './cache/report-cache.ts'
import { type BuildProgress, type BuildWorld, buildLimits, buildSummaries } from './summaries/builder.ts'

/** As long as a cached report counts as fresh. */
const refreshReportsMs = 60_000
/** A day is summed up within two hours and a half of its end; a run without work takes a few statements. */
const buildEveryMs = 5 * minuteMs

type Needs = {
  kept: ReportCache
  summaries: BuildWorld
  onProgress: (progress: BuildProgress) => void
}

export function analyticsJobs({ kept, summaries, onProgress }: Needs): Job[] {
  return [
    [refreshReportsMs, 'cached reports', () => kept.refresh()],
    [
      buildEveryMs,
      'summaries',
      async (onFailure) => onProgress(await buildSummaries(summaries, buildLimits, onFailure)),
    ],
  ]
}
