import type { Role } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export type MemberRow = { user_id: string; email: string; name: string; role: Role; created_at: Date }

const columns = 'm.user_id, u.email, u.name, m.role, m.created_at'

export async function selectMembers(
  sql: Sql,
  workspaceId: string,
  after: string | null,
  limit: number,
): Promise<MemberRow[]> {
  return sql.query<MemberRow>(
    `SELECT ${columns} FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = $1 AND ($2::text IS NULL OR m.user_id > $2)
     ORDER BY m.user_id LIMIT $3`,
    [workspaceId, after, limit],
  )
}

export async function selectMember(sql: Sql, workspaceId: string, userId: string): Promise<MemberRow | null> {
  const [row] = await sql.query<MemberRow>(
    `SELECT ${columns} FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = $1 AND m.user_id = $2`,
    [workspaceId, userId],
  )
  return row ?? null
}

export async function selectMemberByEmail(
  sql: Sql,
  workspaceId: string,
  email: string,
): Promise<MemberRow | null> {
  const [row] = await sql.query<MemberRow>(
    `SELECT ${columns} FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = $1 AND u.email = $2`,
    [workspaceId, email],
  )
  return row ?? null
}

export async function countOwners(sql: Sql, workspaceId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM memberships WHERE workspace_id = $1 AND role = 'owner'`,
    [workspaceId],
  )
  return row?.count ?? 0
}

export async function updateRole(sql: Sql, workspaceId: string, userId: string, role: Role): Promise<void> {
  await sql.query('UPDATE memberships SET role = $3 WHERE workspace_id = $1 AND user_id = $2', [
    workspaceId,
    userId,
    role,
  ])
}

export async function deleteMember(sql: Sql, workspaceId: string, userId: string): Promise<void> {
  await sql.query('DELETE FROM memberships WHERE workspace_id = $1 AND user_id = $2', [workspaceId, userId])
}

export async function selectOwnerEmails(sql: Sql, workspaceId: string): Promise<string[]> {
  const rows = await sql.query<{ email: string }>(
    `SELECT u.email FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = $1 AND m.role = 'owner' ORDER BY u.email`,
    [workspaceId],
  )
  return rows.map((row) => row.email)
}

export async function insertMembership(
  sql: Sql,
  workspaceId: string,
  userId: string,
  role: Role,
  at: Date,
): Promise<void> {
  await sql.query(
    'INSERT INTO memberships (workspace_id, user_id, role, created_at) VALUES ($1, $2, $3, $4)',
    [workspaceId, userId, role, at],
  )
}
