import type { Sql } from '../store/control.ts'

export type TraitRow = { born_id: string; key: string; value: unknown; set_at: Date; source: string }

/** Newest last of each key, so that the last one written is the one that counts. */
export function selectTraits(sql: Sql, workspaceId: string, bornIds: readonly string[]): Promise<TraitRow[]> {
  return sql.query<TraitRow>(
    `SELECT born_id, key, value, set_at, source FROM person_traits
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
    'SELECT count(*)::int AS count FROM person_traits WHERE workspace_id = $1 AND born_id = ANY($2)',
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
    `SELECT born_id, count(*)::int AS count FROM person_traits
     WHERE workspace_id = $1 AND born_id = ANY($2) GROUP BY born_id`,
    [workspaceId, bornIds],
  )
  return new Map(rows.map((row) => [row.born_id, row.count]))
}

export type TraitValue = { bornId: string; key: string; json: string; setMs: number; source: string }

/** Rows come in the order of their key, so that two who write the same traits never wait for each other in a ring. */
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
