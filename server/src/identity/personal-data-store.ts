import type { Sql } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { peopleIn } from '../store/people/person-list.ts'
import { deletedTable } from '../store/people/person-rows.ts'
import type { StoredPlace } from '../store/people/personal-data.ts'

/** Identifiers, traits, links, pairs kept apart, and ledger entries about the person. */
export async function countIdentity(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `SELECT ((SELECT count(*) FROM identifiers WHERE workspace_id = $1 AND original_id = ANY($2))
           + (SELECT count(*) FROM person_traits WHERE workspace_id = $1 AND original_id = ANY($2))
           + (SELECT count(*) FROM conditional_traits
              WHERE workspace_id = $1 AND (original_id = ANY($2) OR told_with && $2))
           + (SELECT count(*) FROM identity_links WHERE workspace_id = $1 AND (a = ANY($2) OR b = ANY($2)))
           + (SELECT count(*) FROM identity_apart WHERE workspace_id = $1 AND (a = ANY($2) OR b = ANY($2)))
           + (SELECT count(*) FROM identity_ledger WHERE workspace_id = $1 AND salt IS NOT NULL
                AND (a = ANY($2) OR b = ANY($2) OR survivor_id = ANY($2) OR absorbed_id = ANY($2))))::float8 AS count`,
    [workspaceId, originalIds],
  )
  return row?.count ?? 0
}

/** The current person of events. */
export function mappingTable(events: Events): StoredPlace {
  return deletedTable(
    events,
    'person_mapping',
    (list) => `original_id IN ${peopleIn(list)} OR person_id IN ${peopleIn(list)}`,
    { because: 'it follows from merge_ledger.ndjson' },
    'original_id',
  )
}

/** The normalised values of the person's identifiers. */
export function selectValues(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<{ original_id: string; value: string | null }[]> {
  return sql.query(
    'SELECT original_id, value FROM identifiers WHERE workspace_id = $1 AND original_id = ANY($2)',
    [workspaceId, originalIds],
  )
}

/**
 * Traits that may contain an address or number known to vendors. Selected as JSON text: extracting a text in
 * Postgres fails on a lone surrogate, which anyone can send.
 */
export function selectContactTraits(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<{ key: string; json: string }[]> {
  return sql.query(
    `SELECT DISTINCT key, value::text AS json FROM known_traits
     WHERE workspace_id = $1 AND original_id = ANY($2)
       AND (lower(key) IN ('email', 'phone') OR lower(value::text) ~ '"(email|phone)"')`,
    [workspaceId, originalIds],
  )
}
