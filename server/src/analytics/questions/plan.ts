import type { Formula, MetricUnit } from '@assay/contract'
import { type Binder, newBinder } from '../../store/filters/binder.ts'

/** What is computed over the rows of a group. */
export type Aggregate = {
  alias: string
  /** With `State` and `Merge` behind its name it adds up over intervals, too. */
  name: string
  /** Such as the level of a quantile, in parentheses. */
  parameters: string
  args: string
  /** What becomes of its result. */
  finish: (result: string) => string
  /** What it counts, where rows that are kept have it. */
  figure: RowFigure | null
}

/**
 * What can be counted of kept rows: distinct people and sessions, events of some kind, what visits were; money in the
 * currency of the report, and the currencies that cannot be converted into it.
 */
export type RowFigure =
  | 'visitors'
  | 'sessions'
  | 'events'
  | 'views'
  | 'conversions'
  | 'bounced'
  | 'converted'
  | 'lengthMs'
  | 'revenue'
  | 'orderValue'
  | 'orders'
  | 'unknownCurrencies'
  | 'unknownOrderCurrencies'

/** One figure of the answer, as a formula over aggregates. */
export type Figure = {
  name: string
  unit: MetricUnit
  isAdditive: boolean
  formula: Formula
  /** Of all intervals together, where that is another one. */
  total?: Formula
}

/** What is computed to say a warning; null if there is none to say. */
type Check = { aliases: readonly string[]; say: (values: readonly unknown[]) => string | null }

/** Whatever a statement has to read and compute for a question. The same part is in it once. */
export type Plan = {
  binder: Binder
  /** Columns of a row, by their expression over an event. */
  columns: Map<string, string>
  aggregates: Aggregate[]
  figures: Figure[]
  checks: Check[]
  needs: { people: boolean; sessions: boolean; visits: boolean; firstEvents: boolean }
}

export function newPlan(): Plan {
  return {
    binder: newBinder('plan'),
    // bounded: by the metrics of a question.
    columns: new Map(),
    aggregates: [],
    figures: [],
    checks: [],
    needs: { people: false, sessions: false, visits: false, firstEvents: false },
  }
}

/** The name of a column with this expression. */
export function columnOf(plan: Plan, sql: string): string {
  const known = plan.columns.get(sql)
  if (known !== undefined) return known
  const alias = `c${plan.columns.size}`
  plan.columns.set(sql, alias)
  return alias
}

type AggregateOptions = { parameters?: string; finish?: Aggregate['finish']; figure?: RowFigure | null }

const unchanged = (result: string) => result

/** The name of an aggregate, which is computed once however often it is asked for. */
export function aggregateOf(plan: Plan, name: string, args: string, options: AggregateOptions = {}): string {
  const { parameters = '', finish = unchanged, figure = null } = options
  const known = plan.aggregates.find(
    (one) => one.name === name && one.args === args && one.parameters === parameters,
  )
  if (known !== undefined) return known.alias
  const alias = `a${plan.aggregates.length}`
  plan.aggregates.push({ alias, name, parameters, args, finish, figure })
  return alias
}

export const named = (name: string): Formula => ({ kind: 'name', name })
export const ratio = (part: string, whole: string): Formula => ({
  kind: 'binary',
  op: '/',
  left: named(part),
  right: named(whole),
})
/** What cannot be computed: a division by zero. */
export const unknown: Formula = {
  kind: 'binary',
  op: '/',
  left: { kind: 'number', value: 0 },
  right: { kind: 'number', value: 0 },
}
