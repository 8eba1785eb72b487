import type { Sql } from '../../store/control.ts'
import type { TraitRow } from '../profiles/trait-store.ts'

/** Traits of some names. */
export function selectNamedTraits(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
  keys: readonly string[],
): Promise<TraitRow[]> {
  return sql.query<TraitRow>(
    `SELECT original_id, key, value, set_at, source FROM known_traits
     WHERE workspace_id = $1 AND original_id = ANY($2) AND key = ANY($3) ORDER BY key, set_at, original_id`,
    [workspaceId, originalIds, keys],
  )
}

/** Names of traits, and whose, with this text somewhere in the value, in any case of Latin letters. */
export function selectTraitsHolding(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
  anchor: string,
  rows: number,
): Promise<{ original_id: string; key: string }[]> {
  return sql.query(
    `SELECT DISTINCT original_id, key FROM known_traits
     WHERE workspace_id = $1 AND original_id = ANY($2)
       AND position($3 IN lower(value::text COLLATE "C")) > 0
     ORDER BY original_id, key LIMIT $4`,
    [workspaceId, originalIds, anchor, rows],
  )
}
