import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { ReportsModule } from '../reports/module.ts'
import { shareData } from './personal-data.ts'
import { shareRoutes } from './routes.ts'
import { createVisits } from './visit.ts'

type Needs = {
  analytics: AnalyticsModule
  reports: ReportsModule
  isClosed: (workspaceId: string) => boolean
}

/** Secret addresses for people without an account. */
export function createShares({ publicUrl }: Platform, { analytics, reports, isClosed }: Needs): Module {
  const { reading, kept } = analytics
  const { answerQuestion } = reports
  const visit = createVisits({ ...reading, isClosed })
  return {
    routes: (plane) => shareRoutes(plane, { ...reading, kept, answerQuestion, visit, publicUrl }),
    personalData: { copies: shareData(reading.control) },
  }
}
