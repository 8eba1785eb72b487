import type { Sql } from '../../store/control.ts'

/** Everything in an entry that identifies its people; its digest and hash stay. */
export async function eraseSubjects(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<number> {
  const rows = await sql.query(
    `UPDATE identity_ledger SET survivor_id = NULL, absorbed_id = NULL, a = NULL, b = NULL, reason = NULL,
       triggering_event_id = NULL, moved = NULL, salt = NULL
     WHERE workspace_id = $1 AND salt IS NOT NULL
       AND (a = ANY($2) OR b = ANY($2) OR survivor_id = ANY($2) OR absorbed_id = ANY($2))
     RETURNING 1`,
    [workspaceId, originalIds],
  )
  return rows.length
}

/** Returns the number of deleted rows. */
export async function deleteRowsOf(
  sql: Sql,
  table: 'identifiers' | 'person_traits',
  workspaceId: string,
  originalIds: readonly string[],
): Promise<number> {
  const rows = await sql.query(
    `DELETE FROM ${table} WHERE workspace_id = $1 AND original_id = ANY($2) RETURNING 1`,
    [workspaceId, originalIds],
  )
  return rows.length
}

/** Also what others sent together with one of these. */
export async function deleteConditionalOf(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<number> {
  const rows = await sql.query(
    'DELETE FROM conditional_traits WHERE workspace_id = $1 AND (original_id = ANY($2) OR told_with && $2) RETURNING 1',
    [workspaceId, originalIds],
  )
  return rows.length
}

export async function deletePairsOf(
  sql: Sql,
  table: 'identity_links' | 'identity_apart',
  workspaceId: string,
  originalIds: readonly string[],
): Promise<number> {
  const rows = await sql.query(
    `DELETE FROM ${table} WHERE workspace_id = $1 AND (a = ANY($2) OR b = ANY($2)) RETURNING 1`,
    [workspaceId, originalIds],
  )
  return rows.length
}

export async function insertSuppressions(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
  at: Date,
): Promise<void> {
  await sql.query(
    `INSERT INTO identity_suppressions (workspace_id, original_id, created_at)
     SELECT $1, original_id, $3 FROM unnest($2::text[]) AS s (original_id) ON CONFLICT DO NOTHING`,
    [workspaceId, originalIds, at],
  )
}
