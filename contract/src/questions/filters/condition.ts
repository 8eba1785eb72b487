import type { Dimension, OperatorName } from '../question-terms.ts'
import type { CountOperator, FilterValue } from './filters.ts'

/** A dimension that an event can be compared by. */
export type FilterDimension = Exclude<Dimension, { kind: 'time' }>

/** A filter that was found sound. */
export type Condition =
  | { kind: 'and' | 'or'; of: readonly Condition[] }
  | { kind: 'not'; of: Condition }
  | { kind: 'compare'; op: OperatorName; dimension: FilterDimension; values: readonly FilterValue[] }
  | {
      kind: 'did'
      event: string
      count: { op: CountOperator; value: number }
      within: string | null
      where: readonly Condition[]
    }
  | { kind: 'inAudience'; audiences: readonly string[] }
  /** An event that reaches one of these goals. */
  | { kind: 'reached'; goals: readonly string[] }
