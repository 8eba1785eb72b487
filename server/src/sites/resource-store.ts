import type { SiteResource } from '@assay/contract'
import type { Sql } from '../store/control.ts'

/** Where each kind of thing lies; every table says whose workspace and site a row is. */
const tables: Readonly<Record<SiteResource, string>> = {
  alert: 'alerts',
  annotation: 'annotations',
  anomaly: 'health_anomalies',
  audience: 'audiences',
  backfill: 'mapping_backfills',
  board: 'boards',
  digest: 'digests',
  driftAlert: 'drift_alerts',
  errorRule: 'error_rules',
  funnel: 'funnels',
  goal: 'goals',
  replay: 'replays',
  report: 'reports',
  share: 'shares',
}

export async function selectSiteOf(
  sql: Sql,
  resource: SiteResource,
  workspaceId: string,
  id: string,
): Promise<string | null> {
  const [row] = await sql.query<{ site_id: string }>(
    `SELECT site_id FROM ${tables[resource]} WHERE workspace_id = $1 AND id = $2 LIMIT 1`,
    [workspaceId, id],
  )
  return row?.site_id ?? null
}
