import type { Sql } from '../../store/control.ts'

export type TraitRow = { original_id: string; key: string; value: unknown; set_at: Date; source: string }

/** Newest last of each key, so that the last one written wins. */
export function selectTraits(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<TraitRow[]> {
  return sql.query<TraitRow>(
    `SELECT original_id, key, value, set_at, source FROM known_traits
     WHERE workspace_id = $1 AND original_id = ANY($2) ORDER BY key, set_at, original_id`,
    [workspaceId, originalIds],
  )
}

export async function countTraits(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM known_traits WHERE workspace_id = $1 AND original_id = ANY($2)',
    [workspaceId, originalIds],
  )
  return row?.count ?? 0
}

export async function countTraitsEach(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<Map<string, number>> {
  if (originalIds.length === 0) return new Map()
  const rows = await sql.query<{ original_id: string; count: number }>(
    `SELECT original_id, count(*)::int AS count FROM known_traits
     WHERE workspace_id = $1 AND original_id = ANY($2) GROUP BY original_id`,
    [workspaceId, originalIds],
  )
  return new Map(rows.map((row) => [row.original_id, row.count]))
}

export type TraitValue = { originalId: string; key: string; json: string; setMs: number; source: string }

/** Rows are in the order of their key, so that two writers of the same traits never deadlock. */
export async function upsertTraits(
  sql: Sql,
  workspaceId: string,
  traits: readonly TraitValue[],
): Promise<void> {
  const sorted = traits.toSorted((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1))
  await sql.query(
    `INSERT INTO person_traits (workspace_id, original_id, key, value, set_at, source)
     SELECT $1, t.original_id, t.key, t.value::json, t.set_at, t.source
     FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[])
       AS t (original_id, key, value, set_at, source)
     ON CONFLICT (workspace_id, original_id, key) DO UPDATE
       SET value = EXCLUDED.value, set_at = EXCLUDED.set_at, source = EXCLUDED.source
       WHERE person_traits.set_at <= EXCLUDED.set_at`,
    [
      workspaceId,
      sorted.map(({ originalId }) => originalId),
      sorted.map(({ key }) => key),
      sorted.map(({ json }) => json),
      sorted.map(({ setMs }) => new Date(setMs)),
      sorted.map(({ source }) => source),
    ],
  )
}

const sortKey = ({ originalId, key }: TraitValue) => `${originalId} ${key}`

/** What a trait depends on: the original ids that it was sent with, and the position in the ledger then. */
export type Condition = { originalIds: readonly string[]; seq: number }

/** At most this many per key are kept, the latest; further ones are dropped. */
const conditionalPerKeyMax = 20

/** In addition to the earlier value, which applies again when this is removed. */
export async function insertConditionalTraits(
  sql: Sql,
  workspaceId: string,
  { originalIds, seq }: Condition,
  traits: readonly TraitValue[],
): Promise<void> {
  for (const { originalId, key, json, setMs, source } of traits) {
    await sql.query(
      `INSERT INTO conditional_traits (workspace_id, original_id, key, told_seq, told_with, value, set_at, source)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (workspace_id, original_id, key, told_seq) DO UPDATE
         SET told_with = EXCLUDED.told_with, value = EXCLUDED.value, set_at = EXCLUDED.set_at`,
      [workspaceId, originalId, key, seq, originalIds, json, new Date(setMs), source],
    )
    await sql.query(
      `DELETE FROM conditional_traits
       WHERE workspace_id = $1 AND original_id = $2 AND key = $3 AND told_seq < (
         SELECT min(told_seq) FROM (
           SELECT told_seq FROM conditional_traits WHERE workspace_id = $1 AND original_id = $2 AND key = $3
           ORDER BY told_seq DESC LIMIT $4) AS kept)`,
      [workspaceId, originalId, key, conditionalPerKeyMax],
    )
  }
}

type ConditionRow = { original_id: string; told_seq: number; told_with: string[] }

export function selectConditions(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<ConditionRow[]> {
  return sql.query<ConditionRow>(
    `SELECT DISTINCT original_id, told_seq::float8 AS told_seq, told_with FROM conditional_traits
     WHERE workspace_id = $1 AND original_id = ANY($2)`,
    [workspaceId, originalIds],
  )
}

export async function deleteConditional(
  sql: Sql,
  workspaceId: string,
  { original_id, told_seq, told_with }: ConditionRow,
): Promise<void> {
  await sql.query(
    `DELETE FROM conditional_traits
     WHERE workspace_id = $1 AND original_id = $2 AND told_seq = $3 AND told_with = $4`,
    [workspaceId, original_id, told_seq, told_with],
  )
}
