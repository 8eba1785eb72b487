import type { AlertCondition, AlertInterval, AlertQuestion } from '@assay/contract'
import type { SiteRow } from '../../sites/sites.ts'
import type { Judgement } from '../judge/states.ts'
import type { Point } from '../judge/usual-range.ts'
import type { SeriesReading, Unit } from '../readings.ts'
import type { AlertRow } from '../store.ts'
import { metricLabel } from './metric-label.ts'

/** What a message says, as it was when the alert opened or closed. */
export type AlertFacts = {
  type: 'opened' | 'closed'
  alertName: string
  siteName: string
  siteId: string
  metric: string
  interval: AlertInterval
  timezone: string
  unit: Unit
  currency: string | null
  condition: AlertCondition
  startMs: number
  value: number
  expected: number | null
  low: number | null
  high: number | null
  /** The last intervals, the oldest first, with this one. */
  recent: readonly Point[]
}

/** A week of days; enough to see a change. */
export const recentIntervals = 7

export function factsOf(
  type: AlertFacts['type'],
  alert: Pick<AlertRow, 'name' | 'interval' | 'condition'>,
  site: Pick<SiteRow, 'id' | 'name' | 'timezone'>,
  question: AlertQuestion,
  { series, unit, currency }: SeriesReading,
  { startMs, value, limits }: Judgement & { value: number },
): AlertFacts {
  const until = series.points.findIndex((point) => point.startMs === startMs) + 1
  const recent = series.points.slice(Math.max(0, until - recentIntervals), until)
  return {
    type,
    alertName: alert.name,
    siteName: site.name,
    siteId: site.id,
    metric: metricLabel(question.metric),
    interval: alert.interval,
    timezone: site.timezone,
    unit,
    currency,
    condition: alert.condition,
    startMs,
    value,
    expected: limits?.expected ?? null,
    low: limits?.low ?? null,
    high: limits?.high ?? null,
    recent: recent.map((point) => ({ startMs: point.startMs, value: point.value })),
  }
}
