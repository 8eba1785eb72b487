import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import { siteScoreJobs } from './jobs.ts'
import type { MilestoneNeeds } from './milestones.ts'
import { siteScoreRoutes } from './routes.ts'

type Needs = Pick<MilestoneNeeds, 'tellNotice' | 'wantNotice'> & { analytics: AnalyticsModule }

/** How well a site does, as one score, and the milestones that it reached. */
export function createSiteScore({ analytics, tellNotice, wantNotice }: Needs): Module {
  const needs = { ...analytics.reading, tellNotice, wantNotice }
  return {
    routes: (plane) => siteScoreRoutes(plane, needs),
    jobs: () => siteScoreJobs(needs),
  }
}
