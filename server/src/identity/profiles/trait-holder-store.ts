import type { Sql } from '../../store/control.ts'
import type { TraitRow } from './trait-store.ts'

/** In the order of their current ids; the rows of the last one are complete, even beyond the limit. */
export function selectTraitRows(
  sql: Sql,
  workspaceId: string,
  key: string,
  after: string,
  rows: number,
): Promise<(TraitRow & { person_id: string; type: string })[]> {
  return sql.query(
    `SELECT coalesce(i.person_id, t.original_id) AS person_id, coalesce(i.type, '') AS type,
            t.original_id, t.key, t.value,
            t.set_at, t.source
     FROM known_traits AS t
     LEFT JOIN identifiers AS i ON i.workspace_id = t.workspace_id AND i.original_id = t.original_id
     WHERE t.workspace_id = $1 AND t.key = $2 AND coalesce(i.person_id, t.original_id) > $3
     ORDER BY coalesce(i.person_id, t.original_id) FETCH FIRST $4 ROWS WITH TIES`,
    [workspaceId, key, after, rows],
  )
}

/** Of everyone who has it, in no order, at once. */
export function selectTraitValues(
  sql: Sql,
  workspaceId: string,
  key: string,
  rows: number,
): Promise<(TraitRow & { person_id: string; type: string })[]> {
  return sql.query(
    `SELECT coalesce(i.person_id, t.original_id) AS person_id, coalesce(i.type, '') AS type,
            t.original_id, t.key, t.value, t.set_at, t.source
     FROM known_traits AS t
     LEFT JOIN identifiers AS i ON i.workspace_id = t.workspace_id AND i.original_id = t.original_id
     WHERE t.workspace_id = $1 AND t.key = $2 LIMIT $3`,
    [workspaceId, key, rows],
  )
}

/** Names of traits and the JSON types of their values, by some of the traits that are known. */
export function selectTraitNames(
  sql: Sql,
  workspaceId: string,
  sampleRows: number,
  rows: number,
): Promise<{ key: string; type: string }[]> {
  return sql.query(
    `SELECT key, type FROM (
       SELECT key, json_typeof(value) AS type, count(*) AS times
       FROM (SELECT key, value FROM known_traits WHERE workspace_id = $1 LIMIT $2) AS sampled
       GROUP BY 1, 2) AS counted
     WHERE type <> 'null' ORDER BY times DESC, key, type LIMIT $3`,
    [workspaceId, sampleRows, rows],
  )
}
