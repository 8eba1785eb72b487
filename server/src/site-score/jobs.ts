import type { Job } from '../platform/scheduler.ts'
import { type MilestoneNeeds, sendMilestones } from './milestones.ts'

/** Each site is counted once an hour, and only where a destination wants the notice. */
const milestonesMs = 10 * 60_000

export function siteScoreJobs(needs: MilestoneNeeds): Job[] {
  return [[milestonesMs, 'milestones', (onFailure) => sendMilestones(needs, onFailure)]]
}
