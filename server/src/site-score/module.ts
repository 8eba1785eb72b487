import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import { siteScoreJobs } from './jobs.ts'
import type { MilestoneNeeds } from './milestones.ts'
import { siteScoreRoutes } from './routes.ts'

type Needs = Pick<MilestoneNeeds, 'sendNotice' | 'wantNotice'> & { analytics: AnalyticsModule }

/** How well a site does, as one score, and the milestones that it reached. */
export function createSiteScore({ analytics, sendNotice, wantNotice }: Needs): Module {
  const needs = { ...analytics.reading, sendNotice, wantNotice }
  return {
    routes: (plane) => siteScoreRoutes(plane, needs),
    jobs: () => siteScoreJobs(needs),
  }
}
