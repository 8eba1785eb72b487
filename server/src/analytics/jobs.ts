import type { Job } from '../platform/scheduler.ts'
import type { Kept } from './cache/report-cache.ts'
import { type MilestoneNeeds, tellMilestones } from './site-score/milestones.ts'

type Needs = MilestoneNeeds & { kept: Kept }

/** As long as a cached report counts as fresh. */
const refreshReportsMs = 60_000
/** Each site is counted once an hour, and only if a destination wants the notice. */
const milestonesMs = 10 * 60_000

export function analyticsJobs(needs: Needs): Job[] {
  return [
    [refreshReportsMs, 'cached reports', () => needs.kept.refresh()],
    [milestonesMs, 'milestones', (onFailure) => tellMilestones(needs, onFailure)],
  ]
}
