import {
  type Answer,
  type AnswerRow,
  answerRowsMax,
  evaluateFormula,
  invalidParameter,
  Problem,
  type ReadQuestion,
} from '@assay/contract'
import { dayMs } from '../../platform/units.ts'
import type { SiteRow } from '../../sites/sites.ts'
import type { EventFilter } from '../../store/event-filter.ts'
import { currencyOf, type Money } from '../../store/money.ts'
import type { ReadKept } from '../kept-rows/kept-rows.ts'
import {
  type Interval,
  intervalStarts,
  isComplete,
  isoTime,
  type Period,
  pointsMax,
  previousPeriod,
  readPeriod,
  toPeriod,
  yearBefore,
} from '../period.ts'
import { orderMetrics, planOf } from './figures.ts'
import type { Plan } from './plan.ts'
import { questionOfRows, questionRead } from './question-rows.ts'
import {
  type FigureRow,
  type Group,
  type GroupOrder,
  type KeyedGroup,
  type Run,
  selectFigures,
  selectGroupFigures,
  selectGroups,
  selectRolling,
} from './question-store.ts'
import { type GroupDimension, type Rows, rowsOf } from './row-store.ts'

type QuestionScope = { site: SiteRow; filter: EventFilter; money: Money; period: Period }

type Shape = {
  /** Null without a dimension of time. */
  unit: Interval | null
  groups: readonly GroupDimension[]
}

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

/** Refuses a question that gives too many rows over this period. */
export function requireAnswerable(question: ReadQuestion, period: Period) {
  const shape = shapeOf(question)
  const compared = comparedPeriod(question, period)
  for (const one of [period, ...(compared === null ? [] : [compared])]) requireFewPoints(question, shape, one)
  return { shape, compared }
}

function shapeOf({ dimensions }: ReadQuestion): Shape {
  const groups = dimensions.filter((one) => one.kind !== 'time')
  const time = dimensions.find((one) => one.kind === 'time')
  return { unit: time?.unit ?? null, groups }
}

function comparedPeriod({ compare }: ReadQuestion, period: Period): Period | null {
  if (compare === null) return null
  if (compare === 'previous') return previousPeriod(period)
  if (compare === 'year') return yearBefore(period)
  try {
    return readPeriod({ ...compare, timezone: period.timezone }, period.timezone, period.nowMs)
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    const [error] = cause.options.errors ?? []
    throw invalidParameter(`compare.${error?.field}`, error?.message ?? 'is not a period')
  }
}

const hoursOf: Readonly<Record<Interval, number>> = { hour: 1, day: 24, week: 168, month: 672 }

function requireFewPoints({ limit }: ReadQuestion, { unit, groups }: Shape, { fromMs, toMs }: Period): void {
  if (unit === null) return
  const points = Math.ceil(((toMs - fromMs) / dayMs) * 24) / hoursOf[unit]
  if (points > pointsMax + 1) {
    throw invalidParameter('dimensions', `time:${unit} is for periods of up to ${pointsMax} intervals`)
  }
  if (groups.length > 0 && points * limit > answerRowsMax) {
    throw invalidParameter('limit', `gives more than ${answerRowsMax} rows over this period: lower it`)
  }
}

type FigureScope = { filter: EventFilter; money: Money; hasTime: boolean } & Shape

/** The groups that are shown, null without dimensions; whether there are others; and the figures. */
type Current<Found extends Group = Group> = {
  groups: readonly Found[] | null
  hasMore: boolean
  current: Figures
}

type BothPeriods = Current & { before: Figures | null }

async function readFromStore(
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

/** Null where rows cannot answer all of it. */
async function readFromRows(
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

function orderOf({ orderBy, metrics }: ReadQuestion, { figures }: Plan): GroupOrder[] {
  const asked = orderBy.length > 0 ? orderBy : [{ by: 'metric', index: 0, isDescending: true } as const]
  return asked.flatMap((one): GroupOrder[] => {
    if (one.by === 'dimension') return [{ by: 'dimension', index: one.index, isDescending: one.isDescending }]
    const figure = figures.find(({ name }) => name === metrics[one.index]?.name)
    return figure === undefined
      ? []
      : [{ by: 'figure', formula: figure.total ?? figure.formula, isDescending: one.isDescending }]
  })
}

/** The figures of one period. */
type Figures = {
  plan: Plan
  starts: readonly number[] | null
  /** Of the interval and group with these places. */
  at: (point: number, place: number) => Record<string, number | null>
  total: () => Record<string, number | null>
  warnings: () => string[]
}

async function readFigures(
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

function toFigures(
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
