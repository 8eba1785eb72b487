import type { Answer, AnswerRow, ReadQuestion } from '@assay/contract'
import type { SiteRow } from '../../../sites/sites.ts'
import type { EventFilter } from '../../../store/event-filter.ts'
import { currencyOf, type Money } from '../../../store/money.ts'
import type { ReadKept } from '../../kept-rows/kept-rows.ts'
import { isComplete, isoTime, type Period, toPeriod } from '../../period.ts'
import type { Group, Run } from '../question-store.ts'
import { requireAnswerable, type Shape } from './answer-shape.ts'
import { readFromStore } from './group-figures.ts'
import type { Figures } from './period-figures.ts'
import { readFromRows } from './row-figures.ts'

type QuestionScope = { site: SiteRow; filter: EventFilter; money: Money; period: Period }

/** Where figures come from: the store, or rows that are kept. */
type FigureSource = { run: Run; readKept: ReadKept }

export async function answerQuestion(
  { run, readKept }: FigureSource,
  question: ReadQuestion,
  { site, filter, money, period }: QuestionScope,
): Promise<Answer> {
  const { shape, compared } = requireAnswerable(question, period)
  // Who is in several audiences is in several rows.
  const canAddUp = !shape.groups.some(({ kind }) => kind === 'audience')
  const scope = { filter, money, ...shape, hasTime: shape.unit !== null }
  const { groups, hasMore, current, before } =
    (await readFromRows(readKept, question, scope, period, compared)) ??
    (await readFromStore(run, question, scope, period, compared))
  const hasOther = hasMore && question.hasOther
  return {
    siteId: site.id,
    period: toPeriod(period),
    comparedPeriod: compared === null ? null : toPeriod(compared),
    metrics: current.plan.figures.map(({ name, unit, isAdditive }) => ({
      name,
      unit,
      isAdditive: isAdditive && canAddUp,
    })),
    dimensions: question.dimensions.map(({ name }) => name),
    currency: currencyOf(money),
    exchangeRates: [...money.rates],
    rows: rowsIn(question, shape, period, groups, hasOther, current, before),
    totals: { metrics: current.total(), comparison: before?.total() ?? null },
    hasMore,
    warnings: [...new Set(current.warnings())],
    sampledShare: 1,
  }
}

function rowsIn(
  { dimensions }: ReadQuestion,
  { unit }: Shape,
  period: Period,
  groups: readonly Group[] | null,
  hasOther: boolean,
  current: Figures,
  before: Figures | null,
): AnswerRow[] {
  const shown = groups === null ? [{ values: [], place: 0, isOther: false }] : placesOf(groups, hasOther)
  const points = current.starts === null ? [0] : [...current.starts.keys()]
  return shown.flatMap(({ values, place, isOther }) =>
    points.map((point): AnswerRow => {
      const start = current.starts?.[point]
      let next = 0
      return {
        dimensions: dimensions.map(({ kind }) => {
          if (kind === 'time') return isoTime(start ?? 0)
          const value = values[next] ?? ''
          next += 1
          return value === '' ? null : value
        }),
        isOther,
        isComplete: unit === null || start === undefined ? null : isComplete(start, period, unit),
        metrics: current.at(point, place),
        comparison: before?.at(point, place) ?? null,
      }
    }),
  )
}

function placesOf(groups: readonly Group[], hasOther: boolean) {
  const shown = groups.map(({ values }, index) => ({ values, place: index + 1, isOther: false }))
  return hasOther ? [...shown, { values: [], place: 0, isOther: true }] : shown
}
