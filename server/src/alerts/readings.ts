import type { AlertCondition, AlertInterval, AlertPreview, AlertQuestion, Answer } from '@assay/contract'
import { readAnswer } from '../analytics/questions/question-answer.ts'
import type { ReadingDeps } from '../analytics/report-query.ts'
import type { SiteRow } from '../sites/sites.ts'
import { countOpenings, judge } from './judge/judge.ts'
import { askedPeriod, previewIntervals, settledSpan } from './judge/spans.ts'
import { type Series, seriesOf } from './judge/usual-range.ts'
import { nameOf, queryOf } from './questions.ts'

type Judged = { interval: AlertInterval; condition: AlertCondition }
export type Unit = AlertPreview['unit']
/** Values of intervals, and what they are values of. */
export type SeriesReading = { series: Series; unit: Unit; currency: string | null }

/** The intervals up to an end that are complete, as the query answers them: never by statements of our own. */
export async function readSeries(
  deps: ReadingDeps,
  site: SiteRow,
  question: AlertQuestion,
  judged: Judged,
  { endMs, intervals }: { endMs: number; intervals: number },
): Promise<SeriesReading> {
  const { interval } = judged
  const asked = queryOf(site.id, question, interval, askedPeriod(judged, endMs, intervals))
  const answer = await readAnswer(deps, site.workspace_id, asked)
  const name = nameOf(question)
  const unit = answer.metrics.find((one) => one.name === name)?.unit ?? 'number'
  const series = seriesOf(pointsOf(answer, name), {
    interval,
    timezone: site.timezone,
    isCount: unit === 'count',
    beginsMs: site.created_at.getTime(),
  })
  return { series, unit, currency: unit === 'money' ? answer.currency : null }
}

function pointsOf({ rows }: Answer, name: string) {
  return rows
    .filter(({ isComplete }) => isComplete === true)
    .map(({ dimensions: [start], metrics }) => ({
      startMs: Date.parse(start ?? ''),
      value: metrics[name] ?? null,
    }))
}

/** How often an alert would have fired, by the same code that judges it. */
export async function previewOf(
  deps: ReadingDeps,
  site: SiteRow,
  question: AlertQuestion,
  judged: Judged,
): Promise<AlertPreview> {
  const { interval, condition } = judged
  const { endMs } = settledSpan(interval, site.timezone, deps.now())
  const intervals = previewIntervals[interval]
  const { series, unit, currency } = await readSeries(deps, site, question, judged, { endMs, intervals })
  const points = judge(condition, series, Math.max(0, series.points.length - intervals), 'unknown')
  return {
    siteId: site.id,
    interval,
    timezone: site.timezone,
    unit,
    currency,
    firings: countOpenings(points, 'unknown'),
    points: points.map(({ startMs, value, limits, state }) => ({
      start: new Date(startMs).toISOString(),
      value,
      low: limits?.low ?? null,
      high: limits?.high ?? null,
      state,
    })),
  }
}
