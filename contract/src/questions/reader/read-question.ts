import type { Condition } from '../filters/condition.ts'
import type { Formula } from '../question-formula.ts'
import type { Dimension, MathName, MetricName } from '../question-terms.ts'

/** A metric that was found sound, with the name under which the answer has it. */
export type ReadMetric =
  | { kind: 'metric'; name: MetricName }
  | {
      kind: 'math'
      name: string
      /** Null: any event. */
      event: string | null
      /** Null: of events as named. */
      goal: string | null
      math: MathName
      /** '' where the math needs none. */
      property: string
      where: readonly Condition[]
    }
  | { kind: 'formula'; name: string; formula: Formula }

export type QuestionPeriod = {
  from?: string | undefined
  to?: string | undefined
  window?: string | undefined
}

export type ReadOrder = { by: 'metric' | 'dimension'; index: number; isDescending: boolean }

/** A question that was found sound. What only the store knows (sites, audiences) is not checked yet. */
export type ReadQuestion = {
  siteId: string
  period: QuestionPeriod
  timezone: string | undefined
  compare: 'previous' | 'year' | QuestionPeriod | null
  metrics: readonly ReadMetric[]
  /** As asked; at most one is of time. */
  dimensions: readonly Dimension[]
  filters: readonly Condition[]
  orderBy: readonly ReadOrder[]
  /** Groups of values; a group has a row for each interval of time. */
  limit: number
  hasOther: boolean
  /** Points of time that each row covers, with its own as the last; null: its own alone. */
  rolling: number | 'all' | null
  includeBots: boolean
}
