import {
  dimensionsMax,
  type Filter,
  groupsMax,
  type Metric,
  type Question,
  type ReportView,
  reportViews,
  timeUnits,
} from '@assay/contract'
import type { Interval } from '../../format.ts'
import type { Changes } from '../../shell/place.ts'
import { type Comparison, comparisonOf, daysOf, rangeQueryOf, writtenComparison } from '../../shell/range.ts'
import { textList } from '../../text/list.ts'
import { type MetricDraft, metricOf, readMetrics } from './metric-draft.ts'

export const views = reportViews
export type View = ReportView
export const modes = ['each', 'cumulative', 'rolling7', 'rolling28'] as const
type Mode = (typeof modes)[number]
export const intervals = timeUnits

/** What is asked, apart from period and filters: everything that the builder has a control for. */
export type Asked = {
  metrics: readonly MetricDraft[]
  by: readonly string[]
  view: View
  /** Null: by the length of the period. */
  interval: Interval | null
  mode: Mode
  /** Groups of values in a table. */
  limit: number
  /** The name of a metric and a direction: `revenue:asc`. Empty: the first metric, most first. */
  order: string
}

export const limits = [10, 20, 50, 100, 500] as const
const limitUsual = 20

export function askedOf(parameters: URLSearchParams): Asked {
  const of = (name: string) => parameters.get(name) ?? ''
  return {
    metrics: readMetrics(listOf(of('metrics'))),
    by: textList(listOf(of('by'))).slice(0, dimensionsMax + 1),
    view: views.find((view) => view === of('view')) ?? 'lines',
    interval: intervals.find((interval) => interval === of('interval')) ?? null,
    mode: modes.find((mode) => mode === of('mode')) ?? 'each',
    limit: limitOf(of('limit')),
    order: of('order'),
  }
}

function limitOf(written: string): number {
  const limit = Number(written)
  return Number.isInteger(limit) && limit > 0 && limit <= groupsMax ? limit : limitUsual
}

function listOf(written: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(written)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** The parameters that lead to it. Lines that are not complete stay out. */
export function changesFor({ metrics, by, view, interval, mode, limit, order }: Asked): Changes {
  const complete = completeMetrics(metrics)
  return {
    metrics: complete.length === 0 ? null : JSON.stringify(complete),
    by: by.length === 0 ? null : JSON.stringify(by),
    view: view === 'lines' ? null : view,
    interval,
    mode: mode === 'each' ? null : mode,
    limit: limit === limitUsual ? null : String(limit),
    order,
  }
}

export function completeMetrics(metrics: readonly MetricDraft[]): readonly Metric[] {
  return metrics.flatMap((draft) => metricOf(draft, metrics) ?? [])
}

export const isChart = (view: View): boolean => view !== 'table' && view !== 'number'

/** So many groups of lines can be read, with one more for the others. */
export function chartLimit(metrics: number): number {
  if (metrics < 2) return 7
  return metrics === 2 ? 4 : 2
}

/** What a report stores: the whole question, apart from the site. */
type SavedQuestion = Omit<Question, 'siteId'>

export function questionOf(
  asked: Asked,
  parameters: URLSearchParams,
  filters: readonly Filter[],
): SavedQuestion {
  const { siteId: _, window, from, to, timezone } = rangeQueryOf('', parameters)
  const { view, by, mode, order } = asked
  const comparison = comparisonOf(parameters)
  const metrics = completeMetrics(asked.metrics)
  const hasGroups = by.length > 0 && view !== 'number'
  const dimensions = [
    ...(isChart(view) ? [`time:${asked.interval ?? usualInterval(parameters)}`] : []),
    ...(view === 'number' ? [] : by),
  ]
  return {
    ...(from !== undefined && to !== undefined ? { from, to } : { window: window ?? '30d' }),
    ...(timezone !== undefined && { timezone }),
    ...(comparison !== null && { compare: comparison }),
    metrics: [...metrics],
    ...(dimensions.length > 0 && { dimensions }),
    ...(filters.length > 0 && { filters }),
    ...(hasGroups && { limit: isChart(view) ? chartLimit(metrics.length) : asked.limit, other: true }),
    ...(view === 'table' && hasGroups && order !== '' && { orderBy: [orderOf(order)] }),
    ...(isChart(view) && mode === 'cumulative' && { cumulative: true }),
    ...(isChart(view) && mode === 'rolling7' && { rolling: 7 }),
    ...(isChart(view) && mode === 'rolling28' && { rolling: 28 }),
  }
}

function orderOf(order: string): readonly [string, 'asc' | 'desc'] {
  const isUp = order.endsWith(':asc')
  return [order.replace(/:(?:asc|desc)$/, ''), isUp ? 'asc' : 'desc']
}

/** Enough points for a shape, and few enough to read. */
export function usualInterval(parameters: URLSearchParams): Interval {
  const days = daysOf(parameters)
  if (days <= 2) return 'hour'
  if (days <= 92) return 'day'
  return days <= 200 ? 'week' : 'month'
}

/** The view of a saved question: the saved one where it fits what is asked, or what its dimensions suggest. */
export function viewFor(question: Readonly<Record<string, unknown>>, saved: View | null): View {
  const dimensions = textList(question.dimensions)
  const isOverTime = dimensions.some((name) => name.startsWith('time:'))
  if (isOverTime) return saved !== null && isChart(saved) ? saved : 'lines'
  return dimensions.length > 0 || saved === 'table' ? 'table' : 'number'
}

/** A report may be compared with any days, which the API stores as a period. */
function savedComparison(saved: unknown): Comparison {
  if (saved === undefined) return null
  if (typeof saved !== 'object' || saved === null) return saved === 'year' ? 'year' : 'previous'
  const { from, to } = { from: undefined, to: undefined, ...saved }
  return typeof from === 'string' && typeof to === 'string' ? { from, to } : 'previous'
}

/** The address of Explore for a question as a report stores it. */
export function changesOf(question: Readonly<Record<string, unknown>>, saved: View | null): Changes {
  const listed = (name: string) => (Array.isArray(question[name]) ? question[name] : [])
  const written = (name: string) => (typeof question[name] === 'string' ? question[name] : null)
  const json = (list: readonly unknown[]) => (list.length === 0 ? null : JSON.stringify(list))
  const dimensions = textList(question.dimensions)
  const interval = intervals.find((unit) => dimensions.includes(`time:${unit}`)) ?? null
  const by = dimensions.filter((name) => !name.startsWith('time:'))
  const [order] = listed('orderBy')
  const view = viewFor(question, saved)
  return {
    window: written('window'),
    from: written('from'),
    to: written('to'),
    timezone: written('timezone'),
    compare: writtenComparison(savedComparison(question.compare)),
    metrics: json(listed('metrics')),
    by: json(by),
    interval,
    view: view === 'lines' ? null : view,
    limit: typeof question.limit === 'number' && interval === null ? String(question.limit) : null,
    mode:
      question.cumulative === true
        ? 'cumulative'
        : question.rolling === undefined
          ? null
          : `rolling${question.rolling}`,
    order: Array.isArray(order) ? order.join(':') : null,
    filters: json(listed('filters')),
  }
}
