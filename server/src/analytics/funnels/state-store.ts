import type { DiscoveredFunnel } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export type FunnelRow = {
  id: string
  site_id: string
  /** Ids of nodes. */
  steps: string[]
  found_name: string
  own_name: string
  status: DiscoveredFunnel['status']
  first_seen: Date
  last_seen: Date
}

const columns = 'id, site_id, steps, found_name, own_name, status, first_seen, last_seen'

export function selectFunnels(sql: Sql, workspaceId: string, siteId: string): Promise<FunnelRow[]> {
  return sql.query<FunnelRow>(
    `SELECT ${columns} FROM funnels WHERE workspace_id = $1 AND site_id = $2 ORDER BY id`,
    [workspaceId, siteId],
  )
}

/** Found for the first time, or again. */
export async function upsertFunnel(
  sql: Sql,
  workspaceId: string,
  row: Pick<FunnelRow, 'id' | 'site_id' | 'steps' | 'found_name'>,
  now: Date,
): Promise<void> {
  await sql.query(
    `INSERT INTO funnels (id, workspace_id, site_id, steps, found_name, first_seen, last_seen)
     VALUES ($1, $2, $3, $4, $5, $6, $6)
     ON CONFLICT (id) DO UPDATE
     SET steps = excluded.steps, found_name = excluded.found_name,
         last_seen = greatest(funnels.last_seen, excluded.last_seen)`,
    [row.id, workspaceId, row.site_id, JSON.stringify(row.steps), row.found_name, now],
  )
}

/** Deletes funnels without a user's decision that were not found for long. */
export async function deleteStaleFunnels(sql: Sql, siteId: string, before: Date): Promise<void> {
  await sql.query(
    `DELETE FROM funnels WHERE site_id = $1 AND last_seen < $2 AND status = 'discovered' AND own_name = ''`,
    [siteId, before],
  )
}

export async function updateFunnelRow(
  sql: Sql,
  workspaceId: string,
  id: string,
  change: { status?: FunnelRow['status'] | undefined; name?: string | undefined },
): Promise<FunnelRow | null> {
  const [row] = await sql.query<FunnelRow>(
    `UPDATE funnels SET status = coalesce($3, status), own_name = coalesce($4, own_name)
     WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
    [workspaceId, id, change.status ?? null, change.name ?? null],
  )
  return row ?? null
}
