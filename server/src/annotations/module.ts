import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import { annotationData } from './personal-data.ts'
import { annotationRoutes } from './routes.ts'

/** Moments to mark on charts: what members write, and releases. */
export function createAnnotations({ analytics }: { analytics: AnalyticsModule }): Module {
  const { reading, kept } = analytics
  return {
    routes: (plane) => annotationRoutes(plane, { ...reading, kept }),
    personalData: { copies: annotationData(reading.control) },
  }
}
