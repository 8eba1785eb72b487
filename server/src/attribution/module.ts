import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import { allSites } from '../sites/sites.ts'
import { type Attribution, createAttribution } from './attribution.ts'
import type { Context } from './context.ts'
import { attributionJobs } from './jobs.ts'
import { attributionData } from './personal-data.ts'
import { attributionRoutes } from './routes.ts'

type Needs = Pick<Context, 'classify' | 'locate' | 'flush' | 'sendNotice'> & { analytics: AnalyticsModule }
type AttributionModule = Module & { attribution: Attribution }

/** Which touchpoints led to an outcome, one by one. */
export function createAttributionModule(platform: Platform, needs: Needs): AttributionModule {
  const { reading } = needs.analytics
  const attribution = createAttribution({
    ...platform,
    ...reading,
    ...needs,
    sitesOf: (workspaceId) => allSites(platform.control, workspaceId),
    dataUntilMs: (workspaceId) => reading.freshness.of(workspaceId).dataUntilMs,
  })
  return {
    attribution,
    routes: (plane) => attributionRoutes(plane, { attribution, requireSite: reading.requireSite }),
    jobs: () => attributionJobs({ attribution }),
    personalData: { copies: attributionData(attribution.context) },
    resume: () => attribution.jobs.listen(),
    close: () => attribution.jobs.close(),
  }
}
