import type { Alert, AlertCondition, Metric } from '@assay/contract'
import { formatFigure, formatFineShare, formatRate } from '../../format.ts'
import { text } from '../../text.ts'
import { metricLabel, readMetrics } from '../explore/metric-draft.ts'

/** A condition as a person would say it. */
export function conditionWords(condition: AlertCondition): string {
  const { says, directionWords, sensitivityWords } = text.alerts
  if (condition.type === 'unusual') return says.unusual(sensitivityWords[condition.sensitivity])
  if (condition.type === 'changedBy') {
    return says.changedBy(formatFineShare(condition.share), directionWords[condition.direction])
  }
  return says[condition.type](formatRate(condition.value))
}

/** What is watched; a report by its name. */
export function watchedWords(
  { question, reportId, reportMetric }: Alert,
  names: { goal: (id: string) => string; report: (id: string) => string },
): string {
  if (question !== null) return metricWords(question.metric, names.goal)
  const report = names.report(reportId ?? '')
  return reportMetric === null ? report : `${report} · ${reportMetric}`
}

function metricWords(metric: Metric, goal: (id: string) => string): string {
  const [draft] = readMetrics([metric])
  return draft === undefined ? '' : metricLabel(draft, goal)
}

/** Limits of an interval in words. */
export function limitWords(low: number | null, high: number | null): string {
  const written = (limit: number) => formatFigure('number', limit, null)
  const words = text.alerts.bounds
  if (low !== null && high !== null) return words.both(written(low), written(high))
  if (low !== null) return words.low(written(low))
  return high === null ? text.nothing : words.high(written(high))
}
