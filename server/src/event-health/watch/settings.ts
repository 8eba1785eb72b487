import { type HealthSettings, type Output, Problem, type setHealthSettings } from '@assay/contract'
import { dayMs, hourMs } from '../../platform/units.ts'
import { toPeriod } from '../events-health.ts'
import { type HealthContext, keyOf, scopeOf } from '../scope.ts'
import { selectBeginnings, selectHours } from '../stores/hour-store.ts'
import { selectSettings, upsertSettings } from './anomaly-store.ts'
import { defaultSettings, type Series, seriesOf, volumeIncidents } from './findings.ts'

export async function readSettings(
  { control }: Pick<HealthContext, 'control'>,
  workspaceId: string,
): Promise<HealthSettings> {
  return { ...defaultSettings, ...(await selectSettings(control, workspaceId)) }
}

export function changedSettings(current: HealthSettings, change: Partial<HealthSettings>): HealthSettings {
  const next = { ...current, ...change }
  if (next.score_twice > next.score_alone) {
    throw new Problem('invalid-parameter', {
      detail: 'score_twice may not be above score_alone: two hours in a row say more than one.',
      errors: [{ field: 'score_twice', message: 'may not be above score_alone' }],
    })
  }
  return next
}

export async function saveSettings(
  context: HealthContext,
  workspaceId: string,
  change: Partial<HealthSettings>,
): Promise<HealthSettings> {
  const next = changedSettings(await readSettings(context, workspaceId), change)
  await upsertSettings(context.control, workspaceId, next)
  return next
}

/** Weeks whose incidents are reported, and those before them, which are the baseline. */
const simulatedDays = 28
const learningDays = 35
const seriesMax = 500
const incidentsMax = 100

type Simulation = Extract<Output<typeof setHealthSettings>, { dry_run: true }>

/** What the last weeks would have raised, under the current settings and under others. */
export async function simulate(
  context: HealthContext,
  workspaceId: string,
  change: Partial<HealthSettings>,
): Promise<Simulation> {
  const before = await readSettings(context, workspaceId)
  const after = changedSettings(before, change)
  const toMs = Math.floor(context.now() / hourMs) * hourMs
  const shown = { fromMs: toMs - simulatedDays * dayMs, toMs }
  const scope = await scopeOf(context, workspaceId, undefined)
  const span = { fromMs: shown.fromMs - learningDays * dayMs, toMs }
  const rows = await selectHours(context.events, scope, span, { name: null, names: seriesMax })
  const series = seriesOf(rows, toMs, await selectBeginnings(context.events, scope, span))
  const incidents = incidentsSince(series, after, shown.fromMs)
  return {
    dry_run: true,
    settings: after,
    period: toPeriod(shown),
    before: countsOf(incidentsSince(series, before, shown.fromMs), before),
    after: countsOf(incidents, after),
    incidents: incidents
      .toSorted((left, right) => Math.abs(right.score) - Math.abs(left.score))
      .slice(0, incidentsMax)
      .map(({ name, siteId, startMs, observed, expected, score }) => ({
        event_key: keyOf(name),
        site_id: siteId,
        started_at: new Date(startMs).toISOString(),
        observed,
        expected,
        score,
      })),
  }
}

function incidentsSince(series: readonly Series[], settings: HealthSettings, fromMs: number) {
  return series.flatMap((one) => volumeIncidents(one, settings)).filter(({ startMs }) => startMs >= fromMs)
}

/** Incidents beyond a week's budget are listed and raise no alert. */
function countsOf(incidents: readonly { startMs: number }[], { alerts_per_week: budget }: HealthSettings) {
  const weeks = Map.groupBy(incidents, ({ startMs }) => Math.floor(startMs / (7 * dayMs)))
  const alerts = [...weeks.values()].reduce((sum, week) => sum + Math.min(week.length, budget), 0)
  return { incidents: incidents.length, alerts }
}
