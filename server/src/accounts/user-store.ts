import type { Role } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type UserRow = {
  id: string
  /** In lower case. */
  email: string
  name: string
  created_at: Date
  email_verified_at: Date | null
}

const columns = 'id, email, name, created_at, email_verified_at'

/** Whoever is first makes the row; everybody gets the one that is there. */
export async function insertUser(sql: Sql, user: UserRow): Promise<UserRow> {
  await sql.query(
    `INSERT INTO users (${columns}) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (email) DO NOTHING`,
    [user.id, user.email, user.name, user.created_at, user.email_verified_at],
  )
  return (await selectUserByEmail(sql, user.email)) ?? user
}

export async function selectUserByEmail(sql: Sql, email: string): Promise<UserRow | null> {
  const [row] = await sql.query<UserRow>(`SELECT ${columns} FROM users WHERE email = $1`, [email])
  return row ?? null
}

export async function selectUserEmail(sql: Sql, id: string): Promise<string> {
  const [row] = await sql.query<{ email: string }>('SELECT email FROM users WHERE id = $1', [id])
  return row?.email ?? ''
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
