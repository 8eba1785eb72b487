import { type AlertQuestion, Problem } from '@assay/contract'
import type { ReadingDeps } from '../analytics/report-query.ts'
import type { NewId } from '../platform/clock.ts'
import type { ItemFailure } from '../platform/items.ts'
import type { SendNotice } from '../platform/notices.ts'
import type { SiteRow } from '../sites/sites.ts'
import { postponeCheck, saveCheck, saveFailedCheck, takeDueAlert } from './check-store.ts'
import { openFiring, recoverFiring } from './firings.ts'
import { judge } from './judge/judge.ts'
import { catchUpIntervals, settledSpan } from './judge/spans.ts'
import type { AlertState, Judgement } from './judge/states.ts'
import { factsOf, recentIntervals } from './messages/facts.ts'
import { questionOf } from './questions.ts'
import { readSeries, type SeriesReading } from './readings.ts'
import type { AlertRow } from './store.ts'

export type CheckDeps = ReadingDeps & {
  newId: NewId
  sendNotice: SendNotice
  /** Being deleted or imported: nothing is judged there. */
  isClosed: (workspaceId: string) => boolean
}

/** Longer than a question can take, twice. */
const takenMs = 60_000
/** In one run; the next run continues. */
const alertsPerRun = 500
/** After a check that failed, and after each more twice as long. */
const pauseMsFirst = 5 * 60_000
const pauseMsMax = 3_600_000
/** Events that are not loaded yet usually are in a moment. */
const loadMs = 60_000

/** Judges every alert that is due. One that fails is tried again later, and does not stop the others. */
export async function checkDue(deps: CheckDeps, onFailure: ItemFailure): Promise<void> {
  for (let nth = 0; nth < alertsPerRun; nth++) {
    const nowMs = deps.now()
    const alert = await takeDueAlert(deps.control, new Date(nowMs), new Date(nowMs + takenMs))
    if (alert === null) return
    if (deps.isClosed(alert.workspace_id)) continue
    try {
      await check(deps, alert)
    } catch (error) {
      await saveFailure(deps, alert, error)
      if (!(error instanceof Problem)) await onFailure(error, alert.id)
    }
  }
}

async function saveFailure(deps: CheckDeps, alert: AlertRow, error: unknown): Promise<void> {
  const nowMs = deps.now()
  const pauseMs = Math.min(pauseMsMax, pauseMsFirst * 2 ** alert.failures)
  await saveFailedCheck(deps.control, alert, {
    error: error instanceof Problem ? error.options.detail : 'The check failed.',
    at: new Date(nowMs),
    nextAt: new Date(nowMs + pauseMs),
  })
}

async function check(deps: CheckDeps, alert: AlertRow): Promise<void> {
  const { control, freshness, requireSite, now } = deps
  const { workspace_id: workspaceId, interval, condition } = alert
  const site = await requireSite(workspaceId, alert.site_id)
  const { startMs, endMs, nextCheckMs } = settledSpan(interval, site.timezone, now())
  const lastMs = alert.last_start?.getTime() ?? null
  if (lastMs !== null && lastMs >= startMs) return postponeCheck(control, alert, new Date(nextCheckMs))
  // A store that lags would look like a site without visitors.
  if (freshness.of(workspaceId).dataUntilMs < endMs) {
    return postponeCheck(control, alert, new Date(now() + loadMs))
  }
  const question = await questionOf(control, workspaceId, site.id, alert)
  const intervals = catchUpIntervals[interval] + recentIntervals
  const reading = await readSeries(deps, site, question, { interval, condition }, { endMs, intervals })
  const judged = judge(condition, reading.series, firstIndex(alert, reading), alert.state)
  await save(deps, alert, { site, question, reading, judged, nextAt: new Date(nextCheckMs) })
}

/** What was not judged yet; of a new alert only the last. */
function firstIndex({ last_start, interval }: AlertRow, { series: { points } }: SeriesReading): number {
  if (last_start === null) return Math.max(0, points.length - 1)
  const unjudged = points.findIndex(({ startMs }) => startMs > last_start.getTime())
  return Math.max(unjudged < 0 ? points.length : unjudged, points.length - catchUpIntervals[interval])
}

type Checked = {
  site: SiteRow
  question: AlertQuestion
  reading: SeriesReading
  judged: readonly Judgement[]
  nextAt: Date
}

/** The state, the firings and what is to be sent of them, at once or not at all. */
async function save(deps: CheckDeps, alert: AlertRow, checked: Checked): Promise<void> {
  const { judged, nextAt } = checked
  const last = judged.at(-1)
  if (last === undefined) return postponeCheck(deps.control, alert, nextAt)
  const at = new Date(deps.now())
  await deps.control.transaction(async (sql) => {
    const start = new Date(last.startMs)
    const saved = await saveCheck(sql, alert, { state: last.state, value: last.value, start, at, nextAt })
    if (saved === null) return
    let before: AlertState = alert.state
    for (const judgement of judged) {
      const { state, value } = judgement
      const hasChanged = (state === 'firing') !== (before === 'firing')
      before = state
      if (!hasChanged || value === null) continue
      const type = state === 'firing' ? 'opened' : 'closed'
      const { site, question, reading } = checked
      const facts = factsOf(type, saved, site, question, reading, { ...judgement, value })
      await (type === 'opened' ? openFiring : recoverFiring)(deps, sql, saved, facts, at)
    }
  })
}
