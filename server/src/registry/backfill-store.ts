import type { Sql } from '../store/control.ts'
import type { Overlay } from '../store/event-source.ts'

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
