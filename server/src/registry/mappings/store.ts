import type { Sql } from '../../store/control.ts'

export type MappingRow = {
  workspace_id: string
  site_id: string
  id: string
  /** A change to a default rule, whose id this is. */
  is_default: boolean
  source: string
  source_key: string
  target: string
  property_map: Record<string, string>
  is_enabled: boolean
  created_at: Date
}

const columns =
  'workspace_id, site_id, id, is_default, source, source_key, target, property_map, is_enabled, created_at'

/** Rules of a site and its changes to default ones, oldest first. */
export async function selectMappings(sql: Sql, workspaceId: string, siteId: string): Promise<MappingRow[]> {
  return sql.query<MappingRow>(
    `SELECT ${columns} FROM event_mappings WHERE workspace_id = $1 AND site_id = $2 ORDER BY id`,
    [workspaceId, siteId],
  )
}

/** A custom rule of any site of the workspace. */
export async function selectCustomMapping(
  sql: Sql,
  workspaceId: string,
  id: string,
): Promise<MappingRow | null> {
  const [row] = await sql.query<MappingRow>(
    `SELECT ${columns} FROM event_mappings WHERE workspace_id = $1 AND id = $2 AND NOT is_default`,
    [workspaceId, id],
  )
  return row ?? null
}

export async function countMappings(sql: Sql, siteId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM event_mappings WHERE site_id = $1 AND NOT is_default',
    [siteId],
  )
  return row?.count ?? 0
}

const values = (row: MappingRow) => [
  row.workspace_id,
  row.site_id,
  row.id,
  row.is_default,
  row.source,
  row.source_key,
  row.target,
  JSON.stringify(row.property_map),
  row.is_enabled,
  row.created_at,
]

/** False when a custom rule of the site has this source already. */
export async function insertMapping(sql: Sql, row: MappingRow): Promise<boolean> {
  const inserted = await sql.query(
    `INSERT INTO event_mappings (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8::json, $9, $10)
     ON CONFLICT DO NOTHING RETURNING id`,
    values(row),
  )
  return inserted.length > 0
}

export async function upsertMapping(sql: Sql, row: MappingRow): Promise<void> {
  await sql.query(
    `INSERT INTO event_mappings (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8::json, $9, $10)
     ON CONFLICT (site_id, id) DO UPDATE SET
       target = excluded.target, property_map = excluded.property_map, is_enabled = excluded.is_enabled`,
    values(row),
  )
}

export async function deleteMapping(sql: Sql, siteId: string, id: string): Promise<void> {
  await sql.query('DELETE FROM event_mappings WHERE site_id = $1 AND id = $2', [siteId, id])
}
