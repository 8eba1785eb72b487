import { evaluateFormula, type ReadQuestion } from '@assay/contract'
import type { EventFilter } from '../../../store/event-filter.ts'
import type { Money } from '../../../store/money.ts'
import { intervalStarts, type Period } from '../../period.ts'
import { planOf } from '../figures.ts'
import type { Plan } from '../plan.ts'
import {
  type FigureRow,
  type Group,
  type KeyedGroup,
  type Run,
  selectFigures,
  selectRolling,
} from '../question-store.ts'
import { type Rows, rowsOf } from '../row-store.ts'
import type { Shape } from './answer-shape.ts'

export type FigureScope = { filter: EventFilter; money: Money; hasTime: boolean } & Shape

/** The figures of one period. */
export type Figures = {
  plan: Plan
  starts: readonly number[] | null
  /** Of the interval and group with these places. */
  at: (point: number, place: number) => Record<string, number | null>
  total: () => Record<string, number | null>
  warnings: () => string[]
}

export async function readFigures(
  run: Run,
  question: ReadQuestion,
  scope: FigureScope,
  period: Period,
  groups: readonly KeyedGroup[] | null,
): Promise<Figures> {
  const { filter, unit } = scope
  const range = { fromMs: period.fromMs, toMs: period.toMs }
  const starts = unit === null ? null : intervalStarts(period, unit)
  const plan = planOf(question.metrics, { ...scope, range })
  const rows = rowsOf({ filter, range, starts, groups: scope.groups }, plan)
  const found = await selectPoints(run, question, rows, plan, groups, starts)
  return toFigures(question, plan, found, groups, starts)
}

export function toFigures(
  question: ReadQuestion,
  plan: Plan,
  found: readonly FigureRow[],
  groups: readonly Group[] | null,
  starts: readonly number[] | null,
): Figures {
  const byKey = new Map(
    found.filter(({ is_total }) => Number(is_total) === 0).map((row) => [keyOf(row), row]),
  )
  const total = found.find(({ is_total }) => Number(is_total) === 1) ?? {}
  const isCumulative = question.rolling === 'all'
  return {
    plan,
    starts,
    at: (point, place) => {
      if (starts === null && groups === null) return figuresOf(plan, total, true)
      return figuresOf(plan, byKey.get(`${starts?.[point] ?? 0} ${place}`) ?? null, isCumulative)
    },
    total: () => figuresOf(plan, total, true),
    warnings: () =>
      plan.checks.flatMap(({ aliases, say }) => say(aliases.map((alias) => total[alias])) ?? []),
  }
}

/** All points and the total, which is a statement of its own where rows do not contain everything once. */
async function selectPoints(
  run: Run,
  { rolling }: ReadQuestion,
  rows: Rows,
  plan: Plan,
  groups: readonly KeyedGroup[] | null,
  starts: readonly number[] | null,
): Promise<FigureRow[]> {
  const isRolling = rolling !== null && starts !== null
  const { whole } = rows
  if (!isRolling && whole === undefined) return selectFigures(run, rows, plan, groups, starts !== null)
  const total = await selectFigures(run, { ...rows, sql: whole ?? rows.sql }, plan, null, false)
  if (!isRolling) {
    const points = await selectFigures(run, rows, plan, groups, starts !== null)
    return [...total, ...points.filter(({ is_total }) => Number(is_total) === 0)]
  }
  const span = rolling === 'all' ? starts.length : rolling
  return [...total, ...(await selectRolling(run, rows, plan, groups, starts.length, span))]
}

const keyOf = ({ bucket = 0, place = 0 }: FigureRow) => `${bucket} ${place}`

function figuresOf(
  { figures, aggregates }: Plan,
  row: FigureRow | null,
  isTotal: boolean,
): Record<string, number | null> {
  const aggregateOf = (alias: string): number | null => {
    if (row !== null) return numberOf(row[alias])
    const name = aggregates.find((one) => one.alias === alias)?.name ?? ''
    return hasNoneOfNothing.has(name) ? null : 0
  }
  return Object.fromEntries(
    figures.map(({ name, formula, total = formula }) => [
      name,
      evaluateFormula(isTotal ? total : formula, aggregateOf),
    ]),
  )
}

/** Counts and sums of nothing are zero; these have no value then. */
const hasNoneOfNothing: ReadonlySet<string> = new Set(['avg', 'min', 'max', 'quantileExactInclusive'])

function numberOf(value: unknown): number | null {
  const number = value === null || value === undefined ? null : Number(value)
  return number === null || Number.isNaN(number) ? null : number
}
