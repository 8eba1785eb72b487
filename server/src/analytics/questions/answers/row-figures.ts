import type { ReadQuestion } from '@assay/contract'
import type { ReadKept } from '../../kept-rows/kept-rows.ts'
import { intervalStarts, type Period } from '../../period.ts'
import { planOf } from '../figures.ts'
import { questionOfRows, questionRead } from '../question-rows.ts'
import type { Group } from '../question-store.ts'
import { type BothPeriods, type Current, orderOf } from './group-figures.ts'
import { type FigureScope, toFigures } from './period-figures.ts'

/** Null where rows cannot answer all of it. */
export async function readFromRows(
  readKept: ReadKept,
  question: ReadQuestion,
  scope: FigureScope,
  period: Period,
  compared: Period | null,
): Promise<BothPeriods | null> {
  const found = await readRows(readKept, question, scope, period, null)
  if (found === null) return null
  const { groups } = found
  const earlier = compared === null ? null : await readRows(readKept, question, scope, compared, groups)
  if (compared !== null && earlier === null) return null
  return { ...found, before: earlier?.current ?? null }
}

async function readRows(
  readKept: ReadKept,
  question: ReadQuestion,
  scope: FigureScope,
  period: Period,
  known: readonly Group[] | null,
): Promise<Current | null> {
  const range = { fromMs: period.fromMs, toMs: period.toMs }
  const plan = planOf(question.metrics, { ...scope, range })
  const ofRows = question.rolling === null ? questionOfRows(scope.groups, plan) : null
  if (ofRows === null) return null
  const starts = scope.unit === null ? null : intervalStarts(period, scope.unit)
  const limit = scope.groups.length === 0 ? 0 : question.limit
  const shown = known === null ? limit : known.map(({ values }) => values[0] ?? '')
  const wanted = { ...ofRows, starts, money: scope.money, order: orderOf(question, plan), shown }
  const answer = await readKept(questionRead, scope.filter, [range], wanted)
  if (answer === null) return null
  const found = answer.values.slice(0, known?.length ?? limit).map((value) => ({ values: [value] }))
  const groups = scope.groups.length === 0 ? null : found
  const current = toFigures(question, plan, answer.figures, groups, starts)
  return { groups, hasMore: answer.values.length > found.length, current }
}
