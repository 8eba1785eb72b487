import type { Sql } from '../../store/control.ts'
import type { Overlay } from '../../store/event-source.ts'

type Generations = { generation: string; previous: string; next: string }

/** Notes which generation is being made, and answers what was noted before. */
export async function beginGeneration(
  sql: Sql,
  workspaceId: string,
  siteId: string,
  next: string,
): Promise<Generations> {
  await sql.query(
    'INSERT INTO site_overlays (site_id, workspace_id) VALUES ($1, $2) ON CONFLICT (site_id) DO NOTHING',
    [siteId, workspaceId],
  )
  const [before] = await sql.query<Generations>(
    'SELECT generation, previous, next FROM site_overlays WHERE site_id = $1',
    [siteId],
  )
  await sql.query('UPDATE site_overlays SET next = $2 WHERE site_id = $1', [siteId, next])
  return before ?? { generation: '', previous: '', next: '' }
}

export type GenerationExtent = { generation: string; fromMs: number; toMs: number; hasOrders: boolean }

/** From here on reads go by this generation, or by none. */
export async function setGeneration(
  sql: Sql,
  siteId: string,
  extent: GenerationExtent | null,
  at: Date,
): Promise<void> {
  await sql.query(
    `UPDATE site_overlays
     SET previous = generation, generation = $2, next = '', from_at = $3, to_at = $4, has_orders = $5, settled_at = $6
     WHERE site_id = $1`,
    [
      siteId,
      extent?.generation ?? '',
      extent === null ? null : new Date(extent.fromMs),
      extent === null ? null : new Date(extent.toMs),
      extent?.hasOrders ?? false,
      at,
    ],
  )
}

/** Generations that no read goes by any more. */
export async function selectSuperseded(
  sql: Sql,
  before: Date,
): Promise<{ site_id: string; previous: string }[]> {
  return sql.query(`SELECT site_id, previous FROM site_overlays WHERE previous != '' AND settled_at < $1`, [
    before,
  ])
}

export async function forgetPrevious(sql: Sql, siteId: string, previous: string): Promise<void> {
  await sql.query(`UPDATE site_overlays SET previous = '' WHERE site_id = $1 AND previous = $2`, [
    siteId,
    previous,
  ])
}

export async function selectOverlays(sql: Sql, workspaceId: string): Promise<Overlay[]> {
  const rows = await sql.query<{
    site_id: string
    generation: string
    from_at: Date
    to_at: Date
    has_orders: boolean
  }>(
    `SELECT site_id, generation, from_at, to_at, has_orders FROM site_overlays
     WHERE workspace_id = $1 AND generation != '' ORDER BY site_id`,
    [workspaceId],
  )
  return rows.map((row) => ({
    siteId: row.site_id,
    generation: row.generation,
    fromMs: row.from_at.getTime(),
    toMs: row.to_at.getTime(),
    hasOrders: row.has_orders,
  }))
}
