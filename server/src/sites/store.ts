import type { ConsentRegime } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type SiteRow = {
  id: string
  workspace_id: string
  name: string
  domain: string
  timezone: string
  /** Null until the first amount arrives. */
  currency: string | null
  ingest_token: string
  created_at: Date
  consent_regime: ConsentRegime | null
  on_denied: 'reject' | 'anonymous'
  event_retention_days: number | null
  /** Until when events were removed, once any were. */
  events_removed_before: Date | null
}

const columns = `id, workspace_id, name, domain, timezone, currency, ingest_token, created_at, consent_regime,
  on_denied, event_retention_days, events_removed_before`

/** Null when the workspace has a site of this domain already. */
export async function insertSite(sql: Sql, site: SiteRow): Promise<SiteRow | null> {
  const [row] = await sql.query<SiteRow>(
    `INSERT INTO sites (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT (workspace_id, domain) DO NOTHING RETURNING ${columns}`,
    [
      site.id,
      site.workspace_id,
      site.name,
      site.domain,
      site.timezone,
      site.currency,
      site.ingest_token,
      site.created_at,
      site.consent_regime,
      site.on_denied,
      site.event_retention_days,
      site.events_removed_before,
    ],
  )
  return row ?? null
}

export async function selectSite(sql: Sql, id: string): Promise<SiteRow | null> {
  const [row] = await sql.query<SiteRow>(`SELECT ${columns} FROM sites WHERE id = $1`, [id])
  return row ?? null
}

export async function selectSites(
  sql: Sql,
  workspaceId: string,
  after: string | null,
  limit: number,
): Promise<SiteRow[]> {
  return sql.query<SiteRow>(
    `SELECT ${columns} FROM sites
     WHERE workspace_id = $1 AND ($2::text IS NULL OR id > $2)
     ORDER BY id LIMIT $3`,
    [workspaceId, after, limit],
  )
}

export async function selectSiteByDomain(
  sql: Sql,
  workspaceId: string,
  domain: string,
): Promise<SiteRow | null> {
  const [row] = await sql.query<SiteRow>(
    `SELECT ${columns} FROM sites WHERE workspace_id = $1 AND domain = $2`,
    [workspaceId, domain],
  )
  return row ?? null
}

export async function updateSiteRow(sql: Sql, site: SiteRow): Promise<void> {
  await sql.query(
    `UPDATE sites SET name = $2, domain = $3, timezone = $4, currency = $5, ingest_token = $6, consent_regime = $7,
       on_denied = $8, event_retention_days = $9
     WHERE id = $1`,
    [
      site.id,
      site.name,
      site.domain,
      site.timezone,
      site.currency,
      site.ingest_token,
      site.consent_regime,
      site.on_denied,
      site.event_retention_days,
    ],
  )
}

/** Whether the site had none before. */
export async function updateFirstCurrency(sql: Sql, siteId: string, currency: string): Promise<boolean> {
  const rows = await sql.query<{ id: string }>(
    'UPDATE sites SET currency = $2 WHERE id = $1 AND currency IS NULL RETURNING id',
    [siteId, currency],
  )
  return rows.length > 0
}

/** Every site of the installation that does not keep its events forever. */
export async function selectSitesWithRetention(sql: Sql): Promise<SiteRow[]> {
  return sql.query<SiteRow>(
    `SELECT ${columns} FROM sites WHERE event_retention_days IS NOT NULL ORDER BY workspace_id, id`,
  )
}

/** What is removed stays removed: the time never goes back. */
export async function updateRemovedBefore(sql: Sql, id: string, before: Date): Promise<void> {
  await sql.query(
    `UPDATE sites SET events_removed_before = greatest(events_removed_before, $2)
     WHERE id = $1`,
    [id, before],
  )
}
