import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import type { TellNotice } from '../platform/notices.ts'
import type { RegistryModule } from '../registry/module.ts'
import { driftJobs } from './jobs.ts'
import { driftRoutes } from './routes.ts'

type Needs = { analytics: AnalyticsModule; registry: RegistryModule; tellNotice: TellNotice }

/** Elements of a page that no longer send what they are watched for. */
export function createDrift({ analytics, registry: { elements }, tellNotice }: Needs): Module {
  const needs = { ...analytics.reading, elements, tellNotice }
  return {
    routes: (plane) => driftRoutes(plane, needs),
    jobs: () => driftJobs(needs),
  }
}
