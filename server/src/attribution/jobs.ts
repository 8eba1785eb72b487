import type { Job } from '../platform/scheduler.ts'
import type { Attribution } from './attribution.ts'

/** How soon a node takes over a computation that another one abandoned. */
const tendMs = 15_000

export function attributionJobs({ attribution }: { attribution: Attribution }): Job[] {
  return [[tendMs, 'attribution', () => attribution.jobs.tend()]]
}
