import type { Role } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export type UserRow = {
  id: string
  /** In lower case. */
  email: string
  name: string
  created_at: Date
  email_verified_at: Date | null
}

const columns = 'id, email, name, created_at, email_verified_at'

/** The first caller creates the row; all others get it. */
export async function insertUser(sql: Sql, user: UserRow): Promise<UserRow> {
  await sql.query(
    `INSERT INTO users (${columns}) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (email) DO NOTHING`,
    [user.id, user.email, user.name, user.created_at, user.email_verified_at],
  )
  return (await selectUserByEmail(sql, user.email)) ?? user
}

/** Only one that has nothing yet. */
export async function deleteUser(sql: Sql, id: string): Promise<void> {
  await sql.query('DELETE FROM users WHERE id = $1', [id])
}

export async function selectUserByEmail(sql: Sql, email: string): Promise<UserRow | null> {
  const [row] = await sql.query<UserRow>(`SELECT ${columns} FROM users WHERE email = $1`, [email])
  return row ?? null
}

export async function selectUser(sql: Sql, id: string): Promise<UserRow | null> {
  const [row] = await sql.query<UserRow>(`SELECT ${columns} FROM users WHERE id = $1`, [id])
  return row ?? null
}

/** The first time counts. A name is only filled in where there is none. */
export async function markVerified(sql: Sql, id: string, name: string, at: Date): Promise<UserRow | null> {
  const [row] = await sql.query<UserRow>(
    `UPDATE users
     SET email_verified_at = coalesce(email_verified_at, $3), name = CASE name WHEN '' THEN $2 ELSE name END
     WHERE id = $1 RETURNING ${columns}`,
    [id, name, at],
  )
  return row ?? null
}

type UserWorkspace = { id: string; name: string; role: Role }

/** In order of joining. */
export async function selectUserWorkspaces(sql: Sql, userId: string): Promise<UserWorkspace[]> {
  return sql.query<UserWorkspace>(
    `SELECT w.id, w.name, m.role FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = $1 ORDER BY m.created_at, m.workspace_id`,
    [userId],
  )
}

export async function selectUserEmail(sql: Sql, id: string): Promise<string> {
  const [row] = await sql.query<{ email: string }>('SELECT email FROM users WHERE id = $1', [id])
  return row?.email ?? ''
}
