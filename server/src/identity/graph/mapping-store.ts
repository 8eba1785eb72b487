import type { Sql } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'

type MovedRow = { original_id: string; person_id: string; changed_seq: number }

/**
 * Identifiers whose person changed since the last sync with the events store, and the position in the ledger.
 */
export function selectMoved(sql: Sql, workspaceId: string, rows: number): Promise<MovedRow[]> {
  return sql.query<MovedRow>(
    `SELECT i.original_id, i.person_id, i.changed_seq::float8 AS changed_seq
     FROM identity_ledger_heads AS h
     JOIN identifiers AS i ON i.workspace_id = h.workspace_id AND i.changed_seq > h.mapped_seq
     WHERE h.workspace_id = $1 ORDER BY i.changed_seq, i.original_id LIMIT $2`,
    [workspaceId, rows],
  )
}

export async function updateMappedSeq(sql: Sql, workspaceId: string, seq: number): Promise<void> {
  await sql.query(
    'UPDATE identity_ledger_heads SET mapped_seq = $2 WHERE workspace_id = $1 AND mapped_seq < $2',
    [workspaceId, seq],
  )
}

/** Workspaces with changes that are not in the events store yet. */
export async function selectUnmapped(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ workspace_id: string }>(
    `SELECT h.workspace_id FROM identity_ledger_heads AS h
     WHERE h.mapped_seq < h.seq AND EXISTS (
       SELECT 1 FROM identifiers AS i WHERE i.workspace_id = h.workspace_id AND i.changed_seq > h.mapped_seq)`,
  )
  return rows.map((row) => row.workspace_id)
}

export async function selectHasMapping(sql: Sql, workspaceId: string): Promise<boolean> {
  const rows = await sql.query(
    'SELECT 1 FROM identity_ledger_heads WHERE workspace_id = $1 AND mapped_seq > 0',
    [workspaceId],
  )
  return rows.length > 0
}

export async function insertMapping(
  events: Events,
  workspaceId: string,
  rows: readonly MovedRow[],
): Promise<void> {
  await events.command(
    `INSERT INTO person_mapping (workspace_id, original_id, original_key, person_id, person_key, seq)
     SELECT {workspaceId:String}, row.1, cityHash64(row.1), row.2, cityHash64(row.2), row.3
     FROM (SELECT arrayJoin(arrayZip({originals:Array(String)}, {people:Array(String)}, {seqs:Array(UInt64)})) AS row)`,
    {
      workspaceId,
      originals: rows.map((row) => row.original_id),
      people: rows.map((row) => row.person_id),
      seqs: rows.map((row) => row.changed_seq),
    },
  )
}
