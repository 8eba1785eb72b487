import type { Role } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type WorkspaceRow = {
  id: string
  name: string
  created_at: Date
  delete_requested_at: Date | null
  delete_requested_by: string | null
  delete_after: Date | null
  delete_started_at: Date | null
}
export type OwnWorkspaceRow = WorkspaceRow & { role: Role }

const columns = `id, name, created_at, delete_requested_at, delete_requested_by, delete_after,
  delete_started_at`
const ownColumns = `w.id, w.name, w.created_at, w.delete_requested_at, w.delete_requested_by, w.delete_after,
  w.delete_started_at, m.role`

/** Whatever changes members or the workspace itself takes this first, so that it goes one after the other. */
export async function lockWorkspace(sql: Sql, id: string): Promise<WorkspaceRow | null> {
  const [row] = await sql.query<WorkspaceRow>(`SELECT ${columns} FROM workspaces WHERE id = $1 FOR UPDATE`, [
    id,
  ])
  return row ?? null
}

export async function selectOwnWorkspaces(
  sql: Sql,
  userId: string,
  limit: number,
): Promise<OwnWorkspaceRow[]> {
  return sql.query<OwnWorkspaceRow>(
    `SELECT ${ownColumns} FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = $1 ORDER BY m.created_at, w.id LIMIT $2`,
    [userId, limit],
  )
}

export async function selectOwnWorkspace(
  sql: Sql,
  userId: string,
  id: string,
): Promise<OwnWorkspaceRow | null> {
  const [row] = await sql.query<OwnWorkspaceRow>(
    `SELECT ${ownColumns} FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = $1 AND w.id = $2`,
    [userId, id],
  )
  return row ?? null
}

export async function countOwned(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM memberships WHERE user_id = $1 AND role = 'owner'`,
    [userId],
  )
  return row?.count ?? 0
}

export async function updateWorkspaceName(sql: Sql, id: string, name: string): Promise<void> {
  await sql.query('UPDATE workspaces SET name = $2 WHERE id = $1', [id, name])
}

type DeletionRequest = { at: Date; by: string; after: Date }

export async function updateDeletion(sql: Sql, id: string, request: DeletionRequest | null): Promise<void> {
  await sql.query(
    `UPDATE workspaces SET delete_requested_at = $2, delete_requested_by = $3, delete_after = $4
     WHERE id = $1`,
    [id, request?.at ?? null, request?.by ?? null, request?.after ?? null],
  )
}

/** On their way out, or gone. */
export async function selectClosedWorkspaces(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT id FROM workspaces WHERE delete_requested_at IS NOT NULL
     UNION SELECT id FROM deleted_workspaces`,
  )
  return rows.map((row) => row.id)
}

export async function insertWorkspace(sql: Sql, id: string, name: string): Promise<void> {
  await sql.query('INSERT INTO workspaces (id, name) VALUES ($1, $2)', [id, name])
}

export async function countWorkspaces(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: number }>('SELECT count(*)::int AS count FROM workspaces')
  return row?.count ?? 0
}
