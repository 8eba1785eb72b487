import type { Anomaly, AnomalyType, HealthSettings } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export type AnomalyRow = {
  id: string
  type: AnomalyType
  site_id: string
  /** Empty where it is about all events. */
  event_name: string
  issue: string
  started_at: Date
  ended_at: Date | null
  observed: number
  expected: number
  score: number
  severity: Anomaly['severity']
  cause: Anomaly['suspected_cause']
  cause_group: string
  is_alert: boolean
  status: Anomaly['status']
  muted_until: Date | null
  note: string | null
  created_at: Date
  updated_at: Date
}

const columns = `id, type, site_id, event_name, issue, started_at, ended_at, observed, expected, score, severity, cause,
  cause_group, is_alert, status, muted_until, note, created_at, updated_at`

/** False when another node was quicker. */
export async function insertAnomaly(sql: Sql, workspaceId: string, row: AnomalyRow): Promise<boolean> {
  const rows = await sql.query(
    `INSERT INTO health_anomalies (workspace_id, ${columns})
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::json, $14, $15, $16, $17, $18, $19, $20)
     ON CONFLICT DO NOTHING RETURNING id`,
    [
      workspaceId,
      row.id,
      row.type,
      row.site_id,
      row.event_name,
      row.issue,
      row.started_at,
      row.ended_at,
      row.observed,
      row.expected,
      row.score,
      row.severity,
      JSON.stringify(row.cause),
      row.cause_group,
      row.is_alert,
      row.status,
      row.muted_until,
      row.note,
      row.created_at,
      row.updated_at,
    ],
  )
  return rows.length > 0
}

export function selectOpen(sql: Sql, workspaceId: string): Promise<AnomalyRow[]> {
  return sql.query<AnomalyRow>(
    `SELECT ${columns} FROM health_anomalies WHERE workspace_id = $1 AND ended_at IS NULL`,
    [workspaceId],
  )
}

/** Workspaces where something is open: they are looked after also when nothing comes any more. */
export async function selectTroubled(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ workspace_id: string }>(
    'SELECT DISTINCT workspace_id FROM health_anomalies WHERE ended_at IS NULL',
  )
  return rows.map((row) => row.workspace_id)
}

export async function updateAnomaly(
  sql: Sql,
  id: string,
  found: Pick<AnomalyRow, 'observed' | 'expected' | 'score' | 'severity' | 'updated_at'>,
): Promise<void> {
  await sql.query(
    `UPDATE health_anomalies SET observed = $2, expected = $3, score = $4, severity = $5, updated_at = $6
     WHERE id = $1 AND ended_at IS NULL`,
    [id, found.observed, found.expected, found.score, found.severity, found.updated_at],
  )
}

/** Null when another node was quicker. */
export async function closeAnomaly(
  sql: Sql,
  id: string,
  endedAt: Date,
  at: Date,
): Promise<AnomalyRow | null> {
  const [row] = await sql.query<AnomalyRow>(
    `UPDATE health_anomalies SET ended_at = $2, status = 'closed', updated_at = $3
     WHERE id = $1 AND ended_at IS NULL RETURNING ${columns}`,
    [id, endedAt, at],
  )
  return row ?? null
}

export async function countAlerts(sql: Sql, workspaceId: string, since: Date): Promise<number> {
  const [row] = await sql.query<{ alerts: number }>(
    `SELECT count(*)::int AS alerts FROM health_anomalies
     WHERE workspace_id = $1 AND is_alert AND created_at >= $2`,
    [workspaceId, since],
  )
  return row?.alerts ?? 0
}

/** Until when alerts about the same thing are not wanted. */
export async function selectMutedUntil(
  sql: Sql,
  workspaceId: string,
  { type, site_id, event_name }: Pick<AnomalyRow, 'type' | 'site_id' | 'event_name'>,
): Promise<Date | null> {
  const [row] = await sql.query<{ until: Date | null }>(
    `SELECT max(muted_until) AS until FROM health_anomalies
     WHERE workspace_id = $1 AND type = $2 AND site_id = $3 AND event_name = $4`,
    [workspaceId, type, site_id, event_name],
  )
  return row?.until ?? null
}

type AnomalyQuery = {
  status: Anomaly['status'] | null
  type: AnomalyType | null
  names: readonly string[] | null
  siteId: string | null
  before: string | null
  rows: number
}

/** Newest first: ids are in the order of time. */
export function selectAnomalies(sql: Sql, workspaceId: string, query: AnomalyQuery): Promise<AnomalyRow[]> {
  return sql.query<AnomalyRow>(
    `SELECT ${columns} FROM health_anomalies
     WHERE workspace_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR type = $3)
       AND ($4::text[] IS NULL OR event_name = ANY($4)) AND ($5::text IS NULL OR site_id = $5)
       AND ($6::text IS NULL OR id < $6)
     ORDER BY id DESC LIMIT $7`,
    [workspaceId, query.status, query.type, query.names, query.siteId, query.before, query.rows],
  )
}

export async function selectAnomaly(sql: Sql, workspaceId: string, id: string): Promise<AnomalyRow | null> {
  const [row] = await sql.query<AnomalyRow>(
    `SELECT ${columns} FROM health_anomalies WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  return row ?? null
}

/** A user's decision about an anomaly; they cannot close it. */
export async function updateHandling(
  sql: Sql,
  id: string,
  handling: { status: 'acknowledged' | 'muted'; mutedUntil: Date | null; note: string | null; at: Date },
): Promise<void> {
  await sql.query(
    `UPDATE health_anomalies SET status = CASE WHEN ended_at IS NULL THEN $2 ELSE status END,
       muted_until = coalesce($3, muted_until), note = coalesce($4, note), updated_at = $5
     WHERE id = $1`,
    [id, handling.status, handling.mutedUntil, handling.note, handling.at],
  )
}

export async function selectSettings(sql: Sql, workspaceId: string): Promise<Partial<HealthSettings>> {
  const [row] = await sql.query<{ settings: Partial<HealthSettings> }>(
    'SELECT settings FROM health_settings WHERE workspace_id = $1',
    [workspaceId],
  )
  return row?.settings ?? {}
}

export async function upsertSettings(sql: Sql, workspaceId: string, settings: HealthSettings): Promise<void> {
  await sql.query(
    `INSERT INTO health_settings (workspace_id, settings) VALUES ($1, $2::json)
     ON CONFLICT (workspace_id) DO UPDATE SET settings = excluded.settings`,
    [workspaceId, JSON.stringify(settings)],
  )
}

/** Takes the turn to look at an hour; false when it was looked at already, here or by another node. */
export async function takeHour(sql: Sql, workspaceId: string, hour: Date): Promise<boolean> {
  const rows = await sql.query(
    `INSERT INTO health_watches (workspace_id, watched_until)
     SELECT id, $2 FROM workspaces WHERE id = $1
     ON CONFLICT (workspace_id) DO UPDATE SET watched_until = $2 WHERE health_watches.watched_until < $2
     RETURNING workspace_id`,
    [workspaceId, hour],
  )
  return rows.length > 0
}

/** Up to which hour anomalies of a workspace were looked for; before the first time, when the workspace began. */
export async function selectWatchedUntil(sql: Sql, workspaceId: string): Promise<Date | null> {
  const [row] = await sql.query<{ until: Date }>(
    `SELECT coalesce(h.watched_until, w.created_at) AS until
     FROM workspaces AS w LEFT JOIN health_watches AS h ON h.workspace_id = w.id WHERE w.id = $1`,
    [workspaceId],
  )
  return row?.until ?? null
}
