import type { ReadQuestion } from '@assay/contract'
import type { Period } from '../../period.ts'
import { orderMetrics, planOf } from '../figures.ts'
import type { Plan } from '../plan.ts'
import {
  type Group,
  type GroupOrder,
  type KeyedGroup,
  type Run,
  selectGroupFigures,
  selectGroups,
} from '../question-store.ts'
import { rowsOf } from '../row-store.ts'
import { type FigureScope, type Figures, readFigures, toFigures } from './period-figures.ts'

/** The groups that are shown, null without dimensions; whether there are others; and the figures. */
export type Current<Found extends Group = Group> = {
  groups: readonly Found[] | null
  hasMore: boolean
  current: Figures
}

export type BothPeriods = Current & { before: Figures | null }

export async function readFromStore(
  run: Run,
  question: ReadQuestion,
  scope: FigureScope,
  period: Period,
  compared: Period | null,
): Promise<BothPeriods> {
  const found = await readCurrent(run, question, scope, period)
  const before = compared === null ? null : await readFigures(run, question, scope, compared, found.groups)
  return { ...found, before }
}

async function readCurrent(
  run: Run,
  question: ReadQuestion,
  scope: FigureScope,
  period: Period,
): Promise<Current<KeyedGroup>> {
  const whole =
    scope.groups.length > 0 && !scope.hasTime ? await readAtOnce(run, question, scope, period) : null
  if (whole !== null) return whole
  const found = await findGroups(run, question, scope, period)
  const groups = found?.slice(0, question.limit) ?? null
  const hasMore = found !== null && found.length > question.limit
  return { groups, hasMore, current: await readFigures(run, question, scope, period, groups) }
}

/** By one statement, which names no others and whose rows are everything once; null where that is not enough. */
async function readAtOnce(
  run: Run,
  question: ReadQuestion,
  scope: FigureScope,
  period: Period,
): Promise<Current<KeyedGroup> | null> {
  const { filter, groups: dimensions } = scope
  const range = { fromMs: period.fromMs, toMs: period.toMs }
  const plan = planOf(question.metrics, { ...scope, range })
  const rows = rowsOf({ filter, range, starts: null, groups: dimensions }, plan)
  if (rows.whole !== undefined) return null
  const limit = question.limit + 1
  const found = await selectGroupFigures(run, rows, plan, dimensions, orderOf(question, plan), limit)
  const groups = found.groups.slice(0, question.limit)
  const hasMore = found.groups.length > question.limit
  const current =
    hasMore && question.hasOther
      ? await readFigures(run, question, scope, period, groups)
      : toFigures(question, plan, found.figures, groups, null)
  return { groups, hasMore, current }
}

/** One more than asked for, to know whether there are others; null without dimensions. */
async function findGroups(
  run: Run,
  question: ReadQuestion,
  scope: FigureScope,
  period: Period,
): Promise<KeyedGroup[] | null> {
  const { groups, filter } = scope
  if (groups.length === 0) return null
  const range = { fromMs: period.fromMs, toMs: period.toMs }
  // Over all intervals together, so without them.
  const plan = planOf(orderMetrics(question), { ...scope, range, hasTime: false })
  const rows = rowsOf({ filter, range, starts: null, groups }, plan)
  return selectGroups(run, rows, plan, groups, orderOf(question, plan), question.limit + 1)
}

export function orderOf({ orderBy, metrics }: ReadQuestion, { figures }: Plan): GroupOrder[] {
  const asked = orderBy.length > 0 ? orderBy : [{ by: 'metric', index: 0, isDescending: true } as const]
  return asked.flatMap((one): GroupOrder[] => {
    if (one.by === 'dimension') return [{ by: 'dimension', index: one.index, isDescending: one.isDescending }]
    const figure = figures.find(({ name }) => name === metrics[one.index]?.name)
    return figure === undefined
      ? []
      : [{ by: 'figure', formula: figure.total ?? figure.formula, isDescending: one.isDescending }]
  })
}
