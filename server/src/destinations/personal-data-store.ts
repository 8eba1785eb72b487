import type { Sql } from '../store/control.ts'
import { mayHold, type SelectTexts, type TextRow } from '../store/people/person-text-table.ts'

/** Events of these people, and notices that name them by an id. */
const theirs = `workspace_id = $1 AND (person_id = ANY($2::text[])
       OR (kind = 'notice' AND EXISTS (SELECT 1 FROM unnest($2::text[]) AS id WHERE strpos(body, id) > 0)))`

export async function countDispatchesOf(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `SELECT count(*)::float8 AS count FROM dispatches WHERE ${theirs}`,
    [workspaceId, originalIds],
  )
  return row?.count ?? 0
}

export async function deleteDispatchesOf(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<void> {
  await sql.query(`DELETE FROM dispatches WHERE ${theirs}`, [workspaceId, originalIds])
}

type QueuedRow = {
  id: string
  destination_id: string
  kind: string
  type: string
  status: string
  created_at: Date
  delivered_at: Date | null
  body: string
}

export function selectDispatchesOf(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
  after: string,
  rows: number,
): Promise<QueuedRow[]> {
  return sql.query<QueuedRow>(
    `SELECT id, destination_id, kind, type, status, created_at, delivered_at, body FROM dispatches
     WHERE ${theirs} AND id > $3 ORDER BY id LIMIT $4`,
    [workspaceId, originalIds, after, rows],
  )
}

/** Events of other people, by what is to be sent of them. */
export const selectEventsOfOthers: SelectTexts<TextRow & { person_id: string }> = (sql, page) =>
  sql.query<TextRow & { person_id: string }>(
    `SELECT id, body AS text, person_id FROM dispatches
     WHERE workspace_id = $1 AND kind = 'event' AND ${mayHold('body')} AND id > $3 ORDER BY id LIMIT $4`,
    page,
  )

export async function updateBody(sql: Sql, workspaceId: string, id: string, body: string): Promise<void> {
  await sql.query('UPDATE dispatches SET body = $3 WHERE workspace_id = $1 AND id = $2', [
    workspaceId,
    id,
    body,
  ])
}
