import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import { sqlRoutes } from './routes.ts'

/** SELECTs of analysts over the events of a site. */
export function createSql({ analytics }: { analytics: AnalyticsModule }): Module {
  return { routes: (plane) => sqlRoutes(plane, analytics.reading) }
}
