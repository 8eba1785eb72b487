import type { WebhookProvider } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type ConnectionRow = {
  id: string
  workspace_id: string
  site_id: string
  provider: WebhookProvider
  registered_url: string | null
  include_test: boolean
  secrets: string
  created_at: Date
  rotated_at: Date | null
}

const connectionColumns =
  'id, workspace_id, site_id, provider, registered_url, include_test, secrets, created_at, rotated_at'

export async function insertConnection(sql: Sql, row: Omit<ConnectionRow, 'rotated_at'>): Promise<void> {
  await sql.query(
    `INSERT INTO webhook_connections
       (id, workspace_id, site_id, provider, registered_url, include_test, secrets, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      row.id,
      row.workspace_id,
      row.site_id,
      row.provider,
      row.registered_url,
      row.include_test,
      row.secrets,
      row.created_at,
    ],
  )
}

export async function countConnections(sql: Sql, workspaceId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM webhook_connections WHERE workspace_id = $1',
    [workspaceId],
  )
  return row?.count ?? 0
}

export async function selectConnection(sql: Sql, id: string): Promise<ConnectionRow | null> {
  const [row] = await sql.query<ConnectionRow>(
    `SELECT ${connectionColumns} FROM webhook_connections WHERE id = $1`,
    [id],
  )
  return row ?? null
}

export async function selectConnections(
  sql: Sql,
  workspaceId: string,
  before: string | null,
  limit: number,
): Promise<ConnectionRow[]> {
  return sql.query<ConnectionRow>(
    `SELECT ${connectionColumns} FROM webhook_connections
     WHERE workspace_id = $1 AND ($2::text IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [workspaceId, before, limit],
  )
}

export async function updateSecrets(sql: Sql, id: string, secrets: string, at: Date): Promise<void> {
  await sql.query('UPDATE webhook_connections SET secrets = $2, rotated_at = $3 WHERE id = $1', [
    id,
    secrets,
    at,
  ])
}

export async function deleteConnection(sql: Sql, id: string): Promise<void> {
  await sql.query('DELETE FROM webhook_connections WHERE id = $1', [id])
}
