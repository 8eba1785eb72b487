import type { ElementMatch } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export type ElementRow = { key: string; site_id: string | null; match: ElementMatch }

export async function upsertElement(
  sql: Sql,
  workspaceId: string,
  { key, site_id, match }: ElementRow,
): Promise<void> {
  await sql.query(
    `INSERT INTO element_matches (workspace_id, key, site_id, match) VALUES ($1, $2, $3, $4::json)
     ON CONFLICT (workspace_id, key) DO UPDATE SET site_id = excluded.site_id, match = excluded.match`,
    [workspaceId, key, site_id, JSON.stringify(match)],
  )
}

export async function deleteElement(sql: Sql, workspaceId: string, key: string): Promise<void> {
  await sql.query('DELETE FROM element_matches WHERE workspace_id = $1 AND key = $2', [workspaceId, key])
}

/** Of these keys, or of all. */
export async function selectElements(
  sql: Sql,
  workspaceId: string,
  keys: readonly string[] | null,
): Promise<ElementRow[]> {
  return sql.query<ElementRow>(
    `SELECT key, site_id, match FROM element_matches
     WHERE workspace_id = $1 AND ($2::text[] IS NULL OR key = ANY($2)) ORDER BY key`,
    [workspaceId, keys],
  )
}
