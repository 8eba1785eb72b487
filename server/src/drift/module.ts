import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import type { SendNotice } from '../platform/notices.ts'
import type { RegistryModule } from '../registry/module.ts'
import { driftJobs } from './jobs.ts'
import { driftRoutes } from './routes.ts'

type Needs = { analytics: AnalyticsModule; registry: RegistryModule; sendNotice: SendNotice }

/** Elements of a page that no longer send what they are watched for. */
export function createDrift({ analytics, registry: { elements }, sendNotice }: Needs): Module {
  const needs = { ...analytics.reading, elements, sendNotice }
  return {
    routes: (plane) => driftRoutes(plane, needs),
    jobs: () => driftJobs(needs),
  }
}
