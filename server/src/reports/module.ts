import type { AnalyticsModule } from '../analytics/module.ts'
import type { ErrorsModule } from '../errors/module.ts'
import type { Module } from '../platform/module.ts'
import { reportData } from './personal-data.ts'
import { type AnswerQuestion, createResults } from './results.ts'
import { reportRoutes } from './routes.ts'

type Needs = { analytics: AnalyticsModule; errors: ErrorsModule }
export type ReportsModule = Module & { answerQuestion: AnswerQuestion }

/** Questions that members save, answered by the code of their routes. */
export function createReports({ analytics, errors }: Needs): ReportsModule {
  const { reading, answers } = analytics
  const answerQuestion = createResults({ answers, answerErrors: errors.answerErrors, now: reading.now })
  return {
    answerQuestion,
    routes: (plane) => reportRoutes(plane, { ...reading, answerQuestion }),
    personalData: { copies: reportData(reading.control) },
  }
}
