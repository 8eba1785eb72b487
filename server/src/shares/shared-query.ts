import { type Answer, metricsMax, Problem, shareLimits } from '@assay/contract'
import type { SavedQuestion } from '../reports/questions.ts'

const counted = 'visitors'

/** The question with the number of people in each row, by which rows about few of them are left out. */
export function withVisitors(question: SavedQuestion): SavedQuestion {
  const metrics = metricsOf(question)
  if (metrics.includes(counted)) return question
  if (metrics.length < metricsMax) return { ...question, metrics: [...metrics, counted] }
  throw new Problem('not-found', { detail: `A question with ${metricsMax} metrics cannot be shared.` })
}

/** The answer to such a question without rows about few people, and as it was asked. */
export function sharedAnswer(asked: SavedQuestion, answer: Answer): Answer {
  const isByTime = answer.dimensions.every((name) => name.startsWith('time:'))
  const isMany = (row: Answer['rows'][number]) => (row.metrics[counted] ?? 0) >= shareLimits.visitorsMin
  const rows = isByTime ? answer.rows : answer.rows.filter(isMany)
  return metricsOf(asked).includes(counted) ? { ...answer, rows } : withoutVisitors({ ...answer, rows })
}

function withoutVisitors(answer: Answer): Answer {
  const { metrics, rows, totals } = answer
  return {
    ...answer,
    metrics: metrics.filter(({ name }) => name !== counted),
    rows: rows.map((row) => ({ ...row, ...figuresWithout(row) })),
    totals: figuresWithout(totals),
  }
}

function figuresWithout({ metrics, comparison }: Answer['totals']): Answer['totals'] {
  const without = ({ [counted]: _, ...figures }: Answer['totals']['metrics']) => figures
  return { metrics: without(metrics), comparison: comparison === null ? null : without(comparison) }
}

function metricsOf({ metrics }: SavedQuestion): unknown[] {
  return Array.isArray(metrics) ? metrics : []
}
