import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import { dayWalksPlace } from './impact/sessions/day-walks.ts'
import { errorData } from './personal-data.ts'
import { type AnswerErrors, createErrorAnswers, errorRoutes } from './routes.ts'

export type ErrorsModule = Module & { answerErrors: AnswerErrors }

/** Errors that visitors met, and what they cost. */
export function createErrors({ analytics }: { analytics: AnalyticsModule }): ErrorsModule {
  const { reading, kept } = analytics
  const needs = { ...reading, kept }
  analytics.keptRows.countDays(dayWalksPlace)
  return {
    answerErrors: createErrorAnswers(needs),
    routes: (plane) => errorRoutes(plane, needs),
    personalData: { copies: errorData(reading.events) },
  }
}
