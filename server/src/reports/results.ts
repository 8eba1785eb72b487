import type { ReportKind, ReportResult, ReportView } from '@assay/contract'
import type { Answers } from '../analytics/answers.ts'
import type { Asking } from '../analytics/cache/large-reads.ts'
import type { AnswerErrors } from '../errors/routes.ts'
import type { Clock } from '../platform/clock.ts'
import { type KnownQuestion, type Layer, narrowed, readQuestionOf, type SavedQuestion } from './questions.ts'

type ResultNeeds = { answers: Answers; answerErrors: AnswerErrors; now: Clock }

/** What is asked of a site. */
export type ReportQuery = {
  siteId: string
  kind: ReportKind
  question: SavedQuestion
  view?: ReportView | null
}

/** Answers as the route of its kind does, with the layers over the question. */
export type AnswerQuestion = (
  workspaceId: string,
  wanted: ReportQuery,
  layers: readonly Layer[],
  asking: Asking,
) => Promise<ReportResult>

export function createResults(needs: ResultNeeds): AnswerQuestion {
  return async (workspaceId, { siteId, kind, question, view = null }, layers, asking) => {
    const asked = narrowed(question, layers)
    const known = readQuestionOf(kind, asked, needs.now)
    return {
      siteId,
      kind,
      question: asked,
      view,
      result: await answered(needs, workspaceId, siteId, known, asking),
    }
  }
}

function answered(
  { answers, answerErrors }: ResultNeeds,
  workspaceId: string,
  siteId: string,
  known: KnownQuestion,
  asking: Asking,
): Promise<object> {
  switch (known.kind) {
    case 'query':
      return answers.query(workspaceId, { ...known.question, siteId })
    case 'overview':
      return answers.overview(workspaceId, { ...known.question, siteId }, asking)
    case 'funnel':
      return answers.funnel(workspaceId, { ...known.question, siteId })
    case 'retention':
      return answers.retention(workspaceId, { ...known.question, siteId })
    case 'flow':
      return answers.flow(workspaceId, { ...known.question, siteId }, asking)
    case 'journeys':
      return answers.journeys(workspaceId, { ...known.question, siteId }, asking)
    case 'errors':
      return answerErrors(workspaceId, { ...known.question, siteId })
  }
}
