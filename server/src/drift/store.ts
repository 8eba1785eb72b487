import type { DriftAlert } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import type { Alias } from './click-store.ts'

export type AlertRow = {
  id: string
  site_id: string
  page: string
  selector: string
  text: string
  kind: DriftAlert['kind']
  severity: DriftAlert['severity']
  opened_at: Date
  last_seen_at: Date
  expected_per_day: number
  observed: number
  candidate: DriftAlert['candidate']
  affected_events: string[]
  status: DriftAlert['status']
  /** When it was resolved or accepted. */
  closed_at: Date | null
  ignore_before: Date | null
}

const columns = `id, site_id, page, selector, text, kind, severity, opened_at, last_seen_at, expected_per_day,
  observed::float8 AS observed, candidate, affected_events, status, closed_at, ignore_before`

export function selectAlerts(sql: Sql, workspaceId: string, siteId: string): Promise<AlertRow[]> {
  return sql.query<AlertRow>(
    `SELECT ${columns} FROM drift_alerts WHERE workspace_id = $1 AND site_id = $2 ORDER BY opened_at DESC, id`,
    [workspaceId, siteId],
  )
}

export async function selectAlert(sql: Sql, workspaceId: string, id: string): Promise<AlertRow | null> {
  const [row] = await sql.query<AlertRow>(
    `SELECT ${columns} FROM drift_alerts WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  return row ?? null
}

/** The alert of an element, locked until the transaction ends. */
export async function lockAlert(
  sql: Sql,
  workspaceId: string,
  { site_id, page, selector }: Pick<AlertRow, 'site_id' | 'page' | 'selector'>,
): Promise<Pick<AlertRow, 'id' | 'status'> | null> {
  const [row] = await sql.query<Pick<AlertRow, 'id' | 'status'>>(
    `SELECT id, status FROM drift_alerts
     WHERE workspace_id = $1 AND site_id = $2 AND page = $3 AND selector = $4 FOR UPDATE`,
    [workspaceId, site_id, page, selector],
  )
  return row ?? null
}

export async function upsertAlert(sql: Sql, workspaceId: string, row: AlertRow): Promise<void> {
  await sql.query(
    `INSERT INTO drift_alerts (workspace_id, id, site_id, page, selector, text, kind, severity, opened_at,
       last_seen_at, expected_per_day, observed, candidate, affected_events, status, closed_at, ignore_before)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::json, $14::json, $15, $16, $17)
     ON CONFLICT (workspace_id, site_id, page, selector) DO UPDATE
       SET text = excluded.text, kind = excluded.kind, severity = excluded.severity, opened_at = excluded.opened_at,
           last_seen_at = excluded.last_seen_at, expected_per_day = excluded.expected_per_day,
           observed = excluded.observed, candidate = excluded.candidate,
           affected_events = excluded.affected_events, status = excluded.status,
           closed_at = excluded.closed_at, ignore_before = excluded.ignore_before`,
    [
      workspaceId,
      row.id,
      row.site_id,
      row.page,
      row.selector,
      row.text,
      row.kind,
      row.severity,
      row.opened_at,
      row.last_seen_at,
      row.expected_per_day,
      row.observed,
      row.candidate === null ? null : JSON.stringify(row.candidate),
      JSON.stringify(row.affected_events),
      row.status,
      row.closed_at,
      row.ignore_before,
    ],
  )
}

export function selectAliases(sql: Sql, workspaceId: string, siteId: string): Promise<Alias[]> {
  return sql.query<Alias>(
    'SELECT page, alias, selector FROM drift_aliases WHERE workspace_id = $1 AND site_id = $2',
    [workspaceId, siteId],
  )
}

/** What stood for the new element stands for the old one too. */
export async function upsertAlias(
  sql: Sql,
  workspaceId: string,
  siteId: string,
  { page, alias, selector }: Alias,
): Promise<void> {
  await sql.query(
    `INSERT INTO drift_aliases (workspace_id, site_id, page, alias, selector) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (workspace_id, site_id, page, alias) DO UPDATE SET selector = excluded.selector`,
    [workspaceId, siteId, page, alias, selector],
  )
}

/** When a site was looked at, and up to when the events reached then; null before this was noted. */
export type Check = { checkedAt: Date; dataUntil: Date | null }

export async function selectCheck(sql: Sql, workspaceId: string, siteId: string): Promise<Check | null> {
  const [row] = await sql.query<{ checked_at: Date | null; data_until: Date | null }>(
    'SELECT checked_at, data_until FROM drift_checks WHERE workspace_id = $1 AND site_id = $2',
    [workspaceId, siteId],
  )
  const checkedAt = row?.checked_at ?? null
  return checkedAt === null ? null : { checkedAt, dataUntil: row?.data_until ?? null }
}

export async function upsertCheck(
  sql: Sql,
  workspaceId: string,
  siteId: string,
  { checkedAt, dataUntil }: Check,
): Promise<void> {
  await sql.query(
    `INSERT INTO drift_checks (workspace_id, site_id, checked_at, data_until) VALUES ($1, $2, $3, $4)
     ON CONFLICT (workspace_id, site_id) DO UPDATE
       SET checked_at = excluded.checked_at, data_until = excluded.data_until`,
    [workspaceId, siteId, checkedAt, dataUntil],
  )
}

/** Also where the look then fails. */
export async function upsertTriedAt(sql: Sql, workspaceId: string, siteId: string, at: Date): Promise<void> {
  await sql.query(
    `INSERT INTO drift_checks (workspace_id, site_id, tried_at) VALUES ($1, $2, $3)
     ON CONFLICT (workspace_id, site_id) DO UPDATE SET tried_at = excluded.tried_at`,
    [workspaceId, siteId, at],
  )
}

/** Sites that were not looked at since then, or never; those that were tried last come last. */
export function selectDueSites(
  sql: Sql,
  before: Date,
  rows: number,
): Promise<{ workspace_id: string; site_id: string }[]> {
  return sql.query(
    `SELECT s.workspace_id, s.id AS site_id FROM sites AS s
     LEFT JOIN drift_checks AS c ON c.workspace_id = s.workspace_id AND c.site_id = s.id
     WHERE greatest(c.checked_at, c.tried_at) IS NULL OR greatest(c.checked_at, c.tried_at) < $1
     ORDER BY greatest(c.checked_at, c.tried_at) NULLS FIRST, s.id LIMIT $2`,
    [before, rows],
  )
}
