import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import type { ReportsModule } from '../reports/module.ts'
import { boardData } from './personal-data.ts'
import { boardRoutes } from './routes.ts'

type Needs = { analytics: AnalyticsModule; reports: ReportsModule }

/** Reports, questions and texts side by side, with one period and the same filters. */
export function createBoards({ analytics: { reading }, reports: { answerQuestion } }: Needs): Module {
  return {
    routes: (plane) => boardRoutes(plane, { ...reading, answerQuestion }),
    personalData: { copies: boardData(reading.control) },
  }
}
