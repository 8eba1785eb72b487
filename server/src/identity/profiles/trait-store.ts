import type { Sql } from '../../store/control.ts'

export type TraitRow = { born_id: string; key: string; value: unknown; set_at: Date; source: string }

/** Newest last of each key, so that the last one written wins. */
export function selectTraits(sql: Sql, workspaceId: string, bornIds: readonly string[]): Promise<TraitRow[]> {
  return sql.query<TraitRow>(
    `SELECT born_id, key, value, set_at, source FROM known_traits
     WHERE workspace_id = $1 AND born_id = ANY($2) ORDER BY key, set_at, born_id`,
    [workspaceId, bornIds],
  )
}

export async function countTraits(
  sql: Sql,
  workspaceId: string,
  bornIds: readonly string[],
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM known_traits WHERE workspace_id = $1 AND born_id = ANY($2)',
    [workspaceId, bornIds],
  )
  return row?.count ?? 0
}

export async function countTraitsEach(
  sql: Sql,
  workspaceId: string,
  bornIds: readonly string[],
): Promise<Map<string, number>> {
  if (bornIds.length === 0) return new Map()
  const rows = await sql.query<{ born_id: string; count: number }>(
    `SELECT born_id, count(*)::int AS count FROM known_traits
     WHERE workspace_id = $1 AND born_id = ANY($2) GROUP BY born_id`,
    [workspaceId, bornIds],
  )
  return new Map(rows.map((row) => [row.born_id, row.count]))
}

export type TraitValue = { bornId: string; key: string; json: string; setMs: number; source: string }

/** Rows are in the order of their key, so that two writers of the same traits never deadlock. */
export async function upsertTraits(
  sql: Sql,
  workspaceId: string,
  traits: readonly TraitValue[],
): Promise<void> {
  const sorted = traits.toSorted((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1))
  await sql.query(
    `INSERT INTO person_traits (workspace_id, born_id, key, value, set_at, source)
     SELECT $1, t.born_id, t.key, t.value::json, t.set_at, t.source
     FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[])
       AS t (born_id, key, value, set_at, source)
     ON CONFLICT (workspace_id, born_id, key) DO UPDATE
       SET value = EXCLUDED.value, set_at = EXCLUDED.set_at, source = EXCLUDED.source
       WHERE person_traits.set_at <= EXCLUDED.set_at`,
    [
      workspaceId,
      sorted.map(({ bornId }) => bornId),
      sorted.map(({ key }) => key),
      sorted.map(({ json }) => json),
      sorted.map(({ setMs }) => new Date(setMs)),
      sorted.map(({ source }) => source),
    ],
  )
}

const sortKey = ({ bornId, key }: TraitValue) => `${bornId} ${key}`

/** What a trait depends on: the original ids that it was sent with, and the position in the ledger then. */
export type Condition = { bornIds: readonly string[]; seq: number }

/** At most this many per key are kept, the latest; further ones are dropped. */
const conditionalPerKeyMax = 20

/** In addition to the earlier value, which applies again when this is removed. */
export async function insertConditionalTraits(
  sql: Sql,
  workspaceId: string,
  { bornIds, seq }: Condition,
  traits: readonly TraitValue[],
): Promise<void> {
  for (const { bornId, key, json, setMs, source } of traits) {
    await sql.query(
      `INSERT INTO conditional_traits (workspace_id, born_id, key, told_seq, told_with, value, set_at, source)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (workspace_id, born_id, key, told_seq) DO UPDATE
         SET told_with = EXCLUDED.told_with, value = EXCLUDED.value, set_at = EXCLUDED.set_at`,
      [workspaceId, bornId, key, seq, bornIds, json, new Date(setMs), source],
    )
    await sql.query(
      `DELETE FROM conditional_traits
       WHERE workspace_id = $1 AND born_id = $2 AND key = $3 AND told_seq < (
         SELECT min(told_seq) FROM (
           SELECT told_seq FROM conditional_traits WHERE workspace_id = $1 AND born_id = $2 AND key = $3
           ORDER BY told_seq DESC LIMIT $4) AS kept)`,
      [workspaceId, bornId, key, conditionalPerKeyMax],
    )
  }
}

type ConditionRow = { born_id: string; told_seq: number; told_with: string[] }

export function selectConditions(
  sql: Sql,
  workspaceId: string,
  bornIds: readonly string[],
): Promise<ConditionRow[]> {
  return sql.query<ConditionRow>(
    `SELECT DISTINCT born_id, told_seq::float8 AS told_seq, told_with FROM conditional_traits
     WHERE workspace_id = $1 AND born_id = ANY($2)`,
    [workspaceId, bornIds],
  )
}

export async function deleteConditional(
  sql: Sql,
  workspaceId: string,
  { born_id, told_seq, told_with }: ConditionRow,
): Promise<void> {
  await sql.query(
    `DELETE FROM conditional_traits
     WHERE workspace_id = $1 AND born_id = $2 AND told_seq = $3 AND told_with = $4`,
    [workspaceId, born_id, told_seq, told_with],
  )
}
