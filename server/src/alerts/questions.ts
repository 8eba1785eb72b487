import {
  type AlertInterval,
  type AlertQuestion,
  invalidParameter,
  isRecord,
  type Metric,
  Problem,
  readQuestion,
} from '@assay/contract'
import { requireReport } from '../reports/reports.ts'
import type { Control } from '../store/control.ts'
import type { AlertRow } from './store.ts'

/** What an alert asks: a question of its own, or that of a saved report. */
export type AlertSource = Pick<AlertRow, 'question' | 'report_id' | 'report_metric'>

/** The name under which an answer has the metric. */
export const nameOf = ({ metric }: AlertQuestion): string => (typeof metric === 'string' ? metric : metric.as)

/** The question of an interval, as `POST /api/analytics/query` takes it. */
export function queryOf(
  siteId: string,
  { metric, parts = [], filters, includeBots }: AlertQuestion,
  interval: AlertInterval,
  period: { fromMs: number; toMs: number },
): Record<string, unknown> {
  return {
    siteId,
    metrics: [...parts, metric],
    dimensions: [`time:${interval}`],
    from: new Date(period.fromMs).toISOString(),
    to: new Date(period.toMs).toISOString(),
    ...(filters !== undefined && { filters }),
    ...(includeBots !== undefined && { includeBots }),
  }
}

/** Refuses what the query would refuse, by the members of the alert. */
export function requireSoundQuestion(question: AlertQuestion): void {
  const parts = question.parts?.length ?? 0
  try {
    readQuestion(queryOf('site', question, 'day', { fromMs: 0, toMs: 1 }))
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    const errors = (cause.options.errors ?? []).map((one) => ({ ...one, field: fieldOf(one.field, parts) }))
    const [first] = errors
    throw new Problem('invalid-parameter', { detail: `${first?.field} ${first?.message}.`, errors, cause })
  }
}

function fieldOf(field: string, parts: number): string {
  const own = field.replace(/^metrics(?:\[(\d+)\])?/, (_, index?: string) => {
    if (index === undefined) return 'parts'
    return Number(index) < parts ? `parts[${index}]` : 'metric'
  })
  return `question.${own}`
}

/** As it is asked now: a report may have changed, or be gone. */
export async function questionOf(
  control: Control,
  workspaceId: string,
  siteId: string,
  { question, report_id, report_metric }: AlertSource,
): Promise<AlertQuestion> {
  if (question !== null) return question
  const report = await requireReport(control, workspaceId, report_id ?? '')
  if (report.kind !== 'query') throw invalidParameter('reportId', 'must be a report of kind query')
  if (report.site_id !== siteId) throw invalidParameter('reportId', 'must be a report of the site')
  const { metrics, filters, includeBots } = readQuestionMembers(report.question)
  const names = metrics.map((metric) => (typeof metric === 'string' ? metric : metric.as))
  const index = report_metric === null ? 0 : names.indexOf(report_metric)
  const metric = metrics[index]
  if (metric === undefined) throw invalidParameter('reportMetric', `must be one of ${names.join(', ')}`)
  const isFormula = typeof metric !== 'string' && 'formula' in metric
  return { metric, ...(isFormula && { parts: metrics.slice(0, index) }), filters, includeBots }
}

type Members = {
  metrics: readonly Metric[]
  filters: NonNullable<AlertQuestion['filters']>
  includeBots: boolean
}

/** Of a question that was found sound when it was saved. */
function readQuestionMembers(question: Readonly<Record<string, unknown>>): Members {
  const { metrics, filters = [], includeBots = false } = question
  if (!isRecord(question) || !Array.isArray(metrics) || !Array.isArray(filters)) {
    throw new Problem('not-found', { detail: 'The report no longer has a question.' })
  }
  return { metrics, filters, includeBots: includeBots === true }
}
