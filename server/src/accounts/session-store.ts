import type { Role } from '@assay/contract'
import type { JWK } from 'jose'
import type { Sql } from '../store/control.ts'

export type SigningKeyRow = { kid: string; private_jwk: JWK; created_at: Date; retired_at: Date | null }

/** Newest first. */
export async function selectSigningKeys(sql: Sql): Promise<SigningKeyRow[]> {
  return sql.query<SigningKeyRow>(
    `SELECT kid, private_jwk, created_at, retired_at FROM signing_keys ORDER BY created_at DESC, kid`,
  )
}

/** The new key takes over from all others. */
export async function insertSigningKey(sql: Sql, key: Omit<SigningKeyRow, 'retired_at'>): Promise<void> {
  await sql.query('UPDATE signing_keys SET retired_at = $1 WHERE retired_at IS NULL', [key.created_at])
  await sql.query('INSERT INTO signing_keys (kid, private_jwk, created_at) VALUES ($1, $2, $3)', [
    key.kid,
    JSON.stringify(key.private_jwk),
    key.created_at,
  ])
}

export async function deleteSigningKeys(sql: Sql, retiredBefore: Date): Promise<void> {
  await sql.query('DELETE FROM signing_keys WHERE retired_at < $1', [retiredBefore])
}

export const signInMethods = ['magic-link', 'google', 'github'] as const
export type SignInMethod = (typeof signInMethods)[number]

export type SessionRow = {
  id: string
  user_id: string
  method: SignInMethod
  /** Browser and system in words. */
  device: string
  country: string
  created_at: Date
  last_used_at: Date
  expires_at: Date
  revoked_at: Date | null
}

export async function insertSession(sql: Sql, session: Omit<SessionRow, 'revoked_at'>): Promise<void> {
  await sql.query(
    `INSERT INTO auth_sessions (id, user_id, method, device, country, created_at, last_used_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      session.id,
      session.user_id,
      session.method,
      session.device,
      session.country,
      session.created_at,
      session.last_used_at,
      session.expires_at,
    ],
  )
}

export type LiveSession = {
  user_id: string
  expires_at: Date
  memberships: { workspaceId: string; role: Role }[]
}

/** A session that was not ended, with the workspaces of its person in order of joining. */
export async function selectLiveSession(sql: Sql, id: string): Promise<LiveSession | null> {
  const rows = await sql.query<{
    user_id: string
    expires_at: Date
    workspace_id: string | null
    role: Role
  }>(
    `SELECT s.user_id, s.expires_at, m.workspace_id, m.role
     FROM auth_sessions s LEFT JOIN memberships m ON m.user_id = s.user_id
     WHERE s.id = $1 AND s.revoked_at IS NULL
     ORDER BY m.created_at, m.workspace_id`,
    [id],
  )
  const [first] = rows
  if (first === undefined) return null
  const memberships = rows.flatMap(({ workspace_id: workspaceId, role }) =>
    workspaceId === null ? [] : [{ workspaceId, role }],
  )
  return { user_id: first.user_id, expires_at: first.expires_at, memberships }
}

export async function updateSessionUse(sql: Sql, ids: readonly string[], at: Date): Promise<void> {
  await sql.query('UPDATE auth_sessions SET last_used_at = greatest(last_used_at, $2) WHERE id = ANY($1)', [
    ids,
    at,
  ])
}

export async function insertRefreshToken(sql: Sql, hash: Buffer, sessionId: string, at: Date): Promise<void> {
  await sql.query('INSERT INTO refresh_tokens (hash, session_id, created_at) VALUES ($1, $2, $3)', [
    hash,
    sessionId,
    at,
  ])
}
