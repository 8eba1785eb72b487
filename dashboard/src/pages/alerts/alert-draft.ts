import type {
  Alert,
  AlertCondition,
  AlertDirection,
  AlertInterval,
  AlertQuestion,
  AlertSensitivity,
  Filter,
} from '@assay/contract'
import { readNumber } from '../../format.ts'
import { type MetricDraft, metricOf, newMetric, readMetrics } from '../explore/metric-draft.ts'

export const conditionTypes = ['above', 'below', 'changedBy', 'unusual'] as const

/** An alert while it is typed. */
export type AlertDraft = {
  name: string
  source: 'metric' | 'report'
  metric: MetricDraft
  filters: readonly Filter[]
  /** What the form has no field for is kept as it is: the parts of a formula, bots. */
  rest: Omit<AlertQuestion, 'metric' | 'filters'>
  reportId: string
  reportMetric: string | null
  interval: AlertInterval
  type: (typeof conditionTypes)[number]
  value: string
  percent: string
  direction: AlertDirection
  sensitivity: AlertSensitivity
  recipients: readonly string[]
  slackUrl: string
  isSlackRemoved: boolean
  notice: boolean
}

export const newDraft: AlertDraft = {
  name: '',
  source: 'metric',
  metric: newMetric([], { of: 'visitors' }),
  filters: [],
  rest: {},
  reportId: '',
  reportMetric: null,
  interval: 'day',
  type: 'unusual',
  value: '',
  percent: '50',
  direction: 'either',
  sensitivity: 'medium',
  recipients: [],
  slackUrl: '',
  isSlackRemoved: false,
  notice: false,
}

export function draftOf(alert: Alert): AlertDraft {
  const { question, condition } = alert
  const { metric, filters = [], ...rest } = question ?? { metric: 'visitors' as const }
  return {
    ...newDraft,
    name: alert.name,
    source: question === null ? 'report' : 'metric',
    metric: readMetrics([metric])[0] ?? newDraft.metric,
    filters,
    rest,
    reportId: alert.reportId ?? '',
    reportMetric: alert.reportMetric,
    interval: alert.interval,
    type: condition.type,
    ...('value' in condition && { value: String(condition.value) }),
    ...('share' in condition && { percent: percentOf(condition.share), direction: condition.direction }),
    ...('sensitivity' in condition && { sensitivity: condition.sensitivity }),
    recipients: alert.recipients,
    notice: alert.notice,
  }
}

const percentOf = (share: number) => String(Math.round(share * 10_000) / 100)

/** What is judged; null while something is missing. */
export function judgedOf(draft: AlertDraft) {
  const condition = conditionOf(draft)
  const watched = watchedOf(draft)
  return condition === null || watched === null ? null : { ...watched, interval: draft.interval, condition }
}

function watchedOf({ source, metric, filters, rest, reportId, reportMetric }: AlertDraft) {
  if (source === 'report') {
    return reportId === '' ? null : { reportId, ...(reportMetric !== null && { reportMetric }) }
  }
  const asked = metricOf(metric, [metric])
  if (asked === null) return null
  const { parts, ...others } = rest
  const isFormula = metric.kind === 'formula' && parts !== undefined
  return {
    question: {
      metric: asked,
      ...others,
      ...(isFormula && { parts }),
      ...(filters.length > 0 && { filters }),
    },
  }
}

const percentMax = 10_000

function conditionOf({ type, value, percent, direction, sensitivity }: AlertDraft): AlertCondition | null {
  if (type === 'unusual') return { type, sensitivity }
  if (type === 'changedBy') {
    const share = readNumber(percent)
    return share === null || share < 1 || share > percentMax ? null : { type, share: share / 100, direction }
  }
  const limit = readNumber(value)
  return limit === null ? null : { type, value: limit }
}
