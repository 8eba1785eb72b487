import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import { errorData } from './personal-data.ts'
import { errorRoutes } from './routes.ts'

/** Errors that visitors met, and what they cost. */
export function createErrors({ analytics }: { analytics: AnalyticsModule }): Module {
  const { reading, kept } = analytics
  return {
    routes: (plane) => errorRoutes(plane, { ...reading, kept }),
    personalData: { copies: errorData(reading.events) },
  }
}
