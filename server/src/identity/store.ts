import type { Confidence, LedgerType } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type IdentifierRow = {
  original_id: string
  type: string
  /** Null once the person is erased. */
  value: string | null
  first_seen_at: Date
  source: string
  person_id: string
}

const identifierColumns = 'original_id, type, value, first_seen_at, source, person_id'

export function selectIdentifiers(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<IdentifierRow[]> {
  return sql.query<IdentifierRow>(
    `SELECT ${identifierColumns} FROM identifiers WHERE workspace_id = $1 AND original_id = ANY($2)`,
    [workspaceId, originalIds],
  )
}

/** All identifiers of these people. */
export function selectMembers(
  sql: Sql,
  workspaceId: string,
  personIds: readonly string[],
): Promise<IdentifierRow[]> {
  return sql.query<IdentifierRow>(
    `SELECT ${identifierColumns} FROM identifiers WHERE workspace_id = $1 AND person_id = ANY($2)
     ORDER BY first_seen_at, original_id`,
    [workspaceId, personIds],
  )
}

type NewIdentifierRow = Omit<IdentifierRow, 'person_id'>

/** Each is a separate person at first. */
export async function insertIdentifiers(
  sql: Sql,
  workspaceId: string,
  rows: readonly NewIdentifierRow[],
): Promise<void> {
  await sql.query(
    `INSERT INTO identifiers (workspace_id, original_id, type, value, first_seen_at, source, person_id)
     SELECT $1, original_id, type, value, first_seen_at, source, original_id
     FROM json_populate_recordset(NULL::identifiers, $2) ON CONFLICT DO NOTHING`,
    [workspaceId, JSON.stringify(rows)],
  )
}

/** `moved` contains the original ids that each person has now. */
export async function moveIdentifiers(
  sql: Sql,
  workspaceId: string,
  moved: ReadonlyMap<string, readonly string[]>,
  seq: number,
): Promise<void> {
  if (moved.size === 0) return
  const pairs = [...moved].flatMap(([personId, originalIds]) =>
    originalIds.map((originalId) => [originalId, personId] as const),
  )
  await sql.query(
    `UPDATE identifiers AS i SET person_id = m.person_id, changed_seq = $4
     FROM unnest($2::text[], $3::text[]) AS m (original_id, person_id)
     WHERE i.workspace_id = $1 AND i.original_id = m.original_id`,
    [workspaceId, pairs.map(([originalId]) => originalId), pairs.map(([, personId]) => personId), seq],
  )
}

/** Renames a person, because an earlier identifier joined it. */
export async function renamePerson(
  sql: Sql,
  workspaceId: string,
  fromId: string,
  toId: string,
  seq: number,
): Promise<void> {
  await sql.query(
    `UPDATE identifiers SET person_id = $3, changed_seq = $4 WHERE workspace_id = $1 AND person_id = $2`,
    [workspaceId, fromId, toId, seq],
  )
}

export type LinkRow = {
  entry_id: string
  seq: number
  a: string
  b: string
  entry_type: LedgerType
  is_explicit: boolean
  confidence: Confidence
  source: string
  /** For an explicit merge: the end whose person keeps its id. */
  survivor: string | null
}

/** Live links with one of these at either end. */
export function selectLinks(sql: Sql, workspaceId: string, ends: readonly string[]): Promise<LinkRow[]> {
  const columns = 'entry_id, seq::float8 AS seq, a, b, entry_type, is_explicit, confidence, source, survivor'
  return sql.query<LinkRow>(
    `SELECT ${columns} FROM identity_links WHERE workspace_id = $1 AND a = ANY($2)
     UNION
     SELECT ${columns} FROM identity_links WHERE workspace_id = $1 AND b = ANY($2)
     ORDER BY seq`,
    [workspaceId, ends],
  )
}

/** Whether the person of this id includes an explicit merge. */
export async function selectHasMerges(sql: Sql, workspaceId: string, originalId: string): Promise<boolean> {
  const rows = await sql.query(
    `SELECT 1 FROM identifiers AS own
     JOIN identifiers AS member ON member.workspace_id = own.workspace_id AND member.person_id = own.person_id
     JOIN identity_links AS link
       ON link.workspace_id = own.workspace_id AND link.is_explicit AND link.a = member.original_id
     WHERE own.workspace_id = $1 AND own.original_id = $2 LIMIT 1`,
    [workspaceId, originalId],
  )
  return rows.length > 0
}

/**
 * Those of these people whose id was chosen by an explicit merge, and the position of the latest such merge.
 */
export function selectChosen(
  sql: Sql,
  workspaceId: string,
  personIds: readonly string[],
): Promise<{ id: string; seq: number }[]> {
  return sql.query(
    `SELECT member.person_id AS id, max(link.seq)::float8 AS seq FROM identifiers AS member
     JOIN identity_links AS link ON link.workspace_id = member.workspace_id AND link.a = member.original_id
     WHERE member.workspace_id = $1 AND member.person_id = ANY($2) AND link.survivor IS NOT NULL
     GROUP BY member.person_id`,
    [workspaceId, personIds],
  )
}

export async function insertLinks(sql: Sql, workspaceId: string, rows: readonly LinkRow[]): Promise<void> {
  await sql.query(
    `INSERT INTO identity_links
       (workspace_id, entry_id, seq, a, b, entry_type, is_explicit, confidence, source, survivor)
     SELECT $1, entry_id, seq, a, b, entry_type, is_explicit, confidence, source, survivor
     FROM json_populate_recordset(NULL::identity_links, $2)`,
    [workspaceId, JSON.stringify(rows)],
  )
}

export async function deleteLinks(sql: Sql, workspaceId: string, entryIds: readonly string[]): Promise<void> {
  await sql.query('DELETE FROM identity_links WHERE workspace_id = $1 AND entry_id = ANY($2)', [
    workspaceId,
    entryIds,
  ])
}

type ApartRow = { entry_id: string; a: string; b: string }

/** With the position in the ledger since which each pair is kept apart. */
export function selectApart(
  sql: Sql,
  workspaceId: string,
  ends: readonly string[],
): Promise<(ApartRow & { seq: number })[]> {
  return sql.query<ApartRow & { seq: number }>(
    `SELECT apart.entry_id, apart.a, apart.b, entry.seq::float8 AS seq
     FROM (
       SELECT entry_id, a, b FROM identity_apart WHERE workspace_id = $1 AND a = ANY($2)
       UNION
       SELECT entry_id, a, b FROM identity_apart WHERE workspace_id = $1 AND b = ANY($2)
     ) AS apart
     JOIN identity_ledger AS entry ON entry.workspace_id = $1 AND entry.id = apart.entry_id`,
    [workspaceId, ends],
  )
}

export async function insertApart(sql: Sql, workspaceId: string, row: ApartRow): Promise<void> {
  await sql.query(
    `INSERT INTO identity_apart (workspace_id, entry_id, a, b) VALUES ($1, $2, $3, $4)
     ON CONFLICT (workspace_id, a, b) DO UPDATE SET entry_id = EXCLUDED.entry_id`,
    [workspaceId, row.entry_id, row.a, row.b],
  )
}

export async function deleteApart(sql: Sql, workspaceId: string, entryId: string): Promise<void> {
  await sql.query('DELETE FROM identity_apart WHERE workspace_id = $1 AND entry_id = $2', [
    workspaceId,
    entryId,
  ])
}

export async function selectSuppressed(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<string[]> {
  const rows = await sql.query<{ original_id: string }>(
    'SELECT original_id FROM identity_suppressions WHERE workspace_id = $1 AND original_id = ANY($2)',
    [workspaceId, originalIds],
  )
  return rows.map((row) => row.original_id)
}
