import type { OauthProvider } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export async function insertLink(
  sql: Sql,
  link: { hash: Buffer; email: string; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await sql.query('INSERT INTO sign_in_links (hash, email, created_at, expires_at) VALUES ($1, $2, $3, $4)', [
    link.hash,
    link.email,
    link.createdAt,
    link.expiresAt,
  ])
}

/** Links to an address that were made after a time and not used yet. */
export async function countUnusedLinks(sql: Sql, email: string, after: Date): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM sign_in_links
     WHERE email = $1 AND created_at > $2 AND used_at IS NULL`,
    [email, after],
  )
  return row?.count ?? 0
}

/** The address of a link that was never used and is not too old; it is used from now on. */
export async function useLink(sql: Sql, hash: Buffer, at: Date): Promise<string | null> {
  const [row] = await sql.query<{ email: string }>(
    `UPDATE sign_in_links SET used_at = $2
     WHERE hash = $1 AND used_at IS NULL AND expires_at > $2 RETURNING email`,
    [hash, at],
  )
  return row?.email ?? null
}

export type OauthStateRow = {
  provider: OauthProvider
  nonce: string
  code_verifier: string
  return_to: string
  /** The three are set together, or not at all. */
  client_redirect_uri: string | null
  client_state: string | null
  client_challenge: string | null
}

export async function insertOauthState(
  sql: Sql,
  hash: Buffer,
  state: OauthStateRow,
  createdAt: Date,
  expiresAt: Date,
): Promise<void> {
  await sql.query(
    `INSERT INTO oauth_states (hash, provider, nonce, code_verifier, return_to, client_redirect_uri, client_state,
                               client_challenge, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      hash,
      state.provider,
      state.nonce,
      state.code_verifier,
      state.return_to,
      state.client_redirect_uri,
      state.client_state,
      state.client_challenge,
      createdAt,
      expiresAt,
    ],
  )
}

/** A state is good for one answer of the provider. */
export async function takeOauthState(
  sql: Sql,
  hash: Buffer,
  provider: OauthProvider,
  now: Date,
): Promise<OauthStateRow | null> {
  const [row] = await sql.query<OauthStateRow>(
    `DELETE FROM oauth_states WHERE hash = $1 AND provider = $2 AND expires_at > $3
     RETURNING provider, nonce, code_verifier, return_to, client_redirect_uri, client_state, client_challenge`,
    [hash, provider, now],
  )
  return row ?? null
}

type OauthCodeRow = {
  user_id: string
  provider: OauthProvider
  redirect_uri: string
  challenge: string
}

export async function insertOauthCode(
  sql: Sql,
  hash: Buffer,
  code: OauthCodeRow,
  expiresAt: Date,
): Promise<void> {
  await sql.query(
    `INSERT INTO oauth_codes (hash, user_id, provider, redirect_uri, challenge, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [hash, code.user_id, code.provider, code.redirect_uri, code.challenge, expiresAt],
  )
}

/** A code is good for one try, right or wrong. */
export async function takeOauthCode(sql: Sql, hash: Buffer, now: Date): Promise<OauthCodeRow | null> {
  const [row] = await sql.query<OauthCodeRow>(
    `DELETE FROM oauth_codes WHERE hash = $1 AND expires_at > $2
     RETURNING user_id, provider, redirect_uri, challenge`,
    [hash, now],
  )
  return row ?? null
}

export async function selectIdentity(
  sql: Sql,
  provider: OauthProvider,
  subject: string,
): Promise<string | null> {
  const [row] = await sql.query<{ user_id: string }>(
    'SELECT user_id FROM oauth_identities WHERE provider = $1 AND subject = $2',
    [provider, subject],
  )
  return row?.user_id ?? null
}

export async function insertIdentity(
  sql: Sql,
  provider: OauthProvider,
  subject: string,
  userId: string,
  at: Date,
): Promise<void> {
  await sql.query(
    `INSERT INTO oauth_identities (provider, subject, user_id, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (provider, subject) DO NOTHING`,
    [provider, subject, userId, at],
  )
}

/** What is expired. */
export async function deleteExpiredSignIns(sql: Sql, before: Date): Promise<void> {
  await sql.query('DELETE FROM sign_in_links WHERE expires_at < $1', [before])
  await sql.query('DELETE FROM oauth_states WHERE expires_at < $1', [before])
  await sql.query('DELETE FROM oauth_codes WHERE expires_at < $1', [before])
}
