import { type Anomaly, type Input, type listAnomalies, type Made, Problem } from '@assay/contract'
import { pageDefault, pageOf } from '../../platform/page.ts'
import { dayMs } from '../../platform/units.ts'
import { type HealthContext, keyOf } from '../scope.ts'
import { type AnomalyRow, selectAnomalies, selectAnomaly, updateHandling } from './anomaly-store.ts'

export async function readAnomalies(
  { control }: HealthContext,
  workspaceId: string,
  query: Input<typeof listAnomalies>['query'],
): Promise<Made<typeof listAnomalies>> {
  const limit = query.limit ?? pageDefault
  const rows = await selectAnomalies(control, workspaceId, {
    status: query.status ?? null,
    type: query.type ?? null,
    // Callers name the key, and stored names of standard events have a prefix.
    names: query.event === undefined ? null : [query.event, `$${query.event}`],
    siteId: query.site_id ?? null,
    before: query.cursor ?? null,
    rows: limit + 1,
  })
  const { page, next } = pageOf(rows, limit, ({ id }) => id)
  return { data: page.map(toAnomaly), next_cursor: next }
}

async function requireAnomaly(
  { control }: HealthContext,
  workspaceId: string,
  id: string,
): Promise<AnomalyRow> {
  // Postgres refuses a text with this character rather than not finding it.
  const row = id.includes('\0') ? null : await selectAnomaly(control, workspaceId, id)
  if (row === null) throw new Problem('not-found', { detail: 'There is no such anomaly.' })
  return row
}

export async function acknowledge(
  context: HealthContext,
  workspaceId: string,
  id: string,
  note: string | undefined,
): Promise<Anomaly> {
  const row = await requireAnomaly(context, workspaceId, id)
  if (row.ended_at !== null) throw new Problem('conflict', { detail: 'The anomaly is already over.' })
  const handling = { status: 'acknowledged' as const, mutedUntil: null, note: note ?? null }
  await updateHandling(context.control, id, { ...handling, at: new Date(context.now()) })
  return toAnomaly(await requireAnomaly(context, workspaceId, id))
}

/** Also after it is over: what is muted are alerts to come. */
export async function mute(
  context: HealthContext,
  workspaceId: string,
  id: string,
  { days, note }: { days: number; note?: string },
): Promise<Anomaly> {
  await requireAnomaly(context, workspaceId, id)
  const at = new Date(context.now())
  const mutedUntil = new Date(at.getTime() + days * dayMs)
  await updateHandling(context.control, id, { status: 'muted', mutedUntil, note: note ?? null, at })
  return toAnomaly(await requireAnomaly(context, workspaceId, id))
}

export function toAnomaly(row: AnomalyRow): Anomaly {
  return {
    id: row.id,
    type: row.type,
    site_id: row.site_id,
    event_key: row.event_name === '' ? null : keyOf(row.event_name),
    issue: row.issue === '' ? null : row.issue,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    observed: row.observed,
    expected: row.expected,
    score: row.score,
    severity: row.severity,
    suspected_cause: row.cause,
    group: row.cause_group,
    is_alert: row.is_alert,
    status: row.status,
    muted_until: row.muted_until?.toISOString() ?? null,
    note: row.note,
    updated_at: row.updated_at.toISOString(),
  }
}
