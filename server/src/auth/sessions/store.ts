import type { Role, SignInMethod } from '@assay/contract'
import type { JWK } from 'jose'
import type { Sql } from '../../store/control.ts'

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

type LiveSession = {
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

const sessionColumns =
  'id, user_id, method, device, country, created_at, last_used_at, expires_at, revoked_at'

export async function selectSession(sql: Sql, id: string): Promise<SessionRow | null> {
  const [row] = await sql.query<SessionRow>(`SELECT ${sessionColumns} FROM auth_sessions WHERE id = $1`, [id])
  return row ?? null
}

/** Those that are still valid. */
export async function selectSessions(
  sql: Sql,
  userId: string,
  now: Date,
  before: string | null,
  limit: number,
): Promise<SessionRow[]> {
  return sql.query<SessionRow>(
    `SELECT ${sessionColumns} FROM auth_sessions
     WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2 AND ($3::text IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [userId, now, before, limit],
  )
}

/** Ends one session of a person, or all of them; answers those that had not ended before. */
export async function revokeSessions(
  sql: Sql,
  userId: string,
  sessionId: string | null,
  at: Date,
): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `UPDATE auth_sessions SET revoked_at = $3
     WHERE user_id = $1 AND ($2::text IS NULL OR id = $2) AND revoked_at IS NULL RETURNING id`,
    [userId, sessionId, at],
  )
  return rows.map(({ id }) => id)
}

export async function prolongSession(sql: Sql, id: string, at: Date, expiresAt: Date): Promise<void> {
  await sql.query('UPDATE auth_sessions SET last_used_at = $2, expires_at = $3 WHERE id = $1', [
    id,
    at,
    expiresAt,
  ])
}

/** Sessions that ended before a time, with their tokens. */
export async function deleteEndedSessions(sql: Sql, before: Date): Promise<void> {
  await sql.query('DELETE FROM auth_sessions WHERE revoked_at < $1 OR expires_at < $1', [before])
}

export type RefreshTokenRow = {
  session_id: string
  user_id: string
  used_at: Date | null
  /** Whether the token that came after it was used as well. */
  successor_used: boolean
}

/** A token of a session that has not ended. */
export async function selectRefreshToken(sql: Sql, hash: Buffer, now: Date): Promise<RefreshTokenRow | null> {
  const [row] = await sql.query<RefreshTokenRow>(
    `SELECT t.session_id, s.user_id, t.used_at, n.used_at IS NOT NULL AS successor_used
     FROM refresh_tokens t
     JOIN auth_sessions s ON s.id = t.session_id
     LEFT JOIN refresh_tokens n ON n.hash = t.replaced_by
     WHERE t.hash = $1 AND s.revoked_at IS NULL AND s.expires_at > $2`,
    [hash, now],
  )
  return row ?? null
}

/** False when another request used it a moment before. */
export async function spendRefreshToken(
  sql: Sql,
  hash: Buffer,
  replacedBy: Buffer,
  at: Date,
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE refresh_tokens SET used_at = $3, replaced_by = $2
     WHERE hash = $1 AND used_at IS NULL RETURNING session_id`,
    [hash, replacedBy, at],
  )
  return rows.length === 1
}

export async function insertRefreshToken(sql: Sql, hash: Buffer, sessionId: string, at: Date): Promise<void> {
  await sql.query('INSERT INTO refresh_tokens (hash, session_id, created_at) VALUES ($1, $2, $3)', [
    hash,
    sessionId,
    at,
  ])
}
