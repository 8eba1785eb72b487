import type { ConsentCategory, DestinationStatus, NoticeType } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type DestinationRow = {
  id: string
  workspace_id: string
  site_id: string | null
  name: string
  url: string
  events: string[]
  purposes: ConsentCategory[]
  notices: NoticeType[]
  status: DestinationStatus
  secrets: string
  failing_since: Date | null
  created_at: Date
}

const columns =
  'id, workspace_id, site_id, name, url, events, purposes, notices, status, secrets, failing_since, created_at'

export function selectDestinations(sql: Sql, workspaceId: string | null): Promise<DestinationRow[]> {
  return sql.query<DestinationRow>(
    `SELECT ${columns} FROM destinations WHERE $1::text IS NULL OR workspace_id = $1 ORDER BY id`,
    [workspaceId],
  )
}

/** Answers false where the workspace has as many as it may. */
export async function insertDestination(sql: Sql, row: DestinationRow, most: number): Promise<boolean> {
  const rows = await sql.query(
    `INSERT INTO destinations (${columns})
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
     WHERE (SELECT count(*) FROM destinations WHERE workspace_id = $2) < $13
     RETURNING id`,
    [
      row.id,
      row.workspace_id,
      row.site_id,
      row.name,
      row.url,
      row.events,
      row.purposes,
      row.notices,
      row.status,
      row.secrets,
      row.failing_since,
      row.created_at,
      most,
    ],
  )
  return rows.length === 1
}

export async function updateDestinationRow(sql: Sql, row: DestinationRow): Promise<void> {
  await sql.query(
    `UPDATE destinations SET site_id = $2, name = $3, url = $4, events = $5, purposes = $6, notices = $7,
       status = $8, secrets = $9, failing_since = $10
     WHERE id = $1`,
    [
      row.id,
      row.site_id,
      row.name,
      row.url,
      row.events,
      row.purposes,
      row.notices,
      row.status,
      row.secrets,
      row.failing_since,
    ],
  )
}

/** Only the first failure of a row of failures is written down, and only its end. */
export async function markFailing(sql: Sql, id: string, since: Date | null): Promise<void> {
  await sql.query(
    `UPDATE destinations SET failing_since = CASE WHEN $2::timestamptz IS NULL THEN NULL
       ELSE coalesce(failing_since, $2) END
     WHERE id = $1 AND (failing_since IS NULL) <> ($2::timestamptz IS NULL)`,
    [id, since],
  )
}

export async function markGone(sql: Sql, id: string): Promise<void> {
  await sql.query("UPDATE destinations SET status = 'gone' WHERE id = $1 AND status = 'active'", [id])
}

export async function removeDestination(sql: Sql, id: string): Promise<void> {
  await sql.query('DELETE FROM destinations WHERE id = $1', [id])
}
