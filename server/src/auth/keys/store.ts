import type { ApiKey, KeyKind, Scope } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export type KeyRow = {
  id: string
  workspace_id: string
  site_id: string | null
  kind: KeyKind
  name: string
  hint: string
  environment: ApiKey['environment']
  scopes: Scope[]
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
}

const columns = `id, workspace_id, site_id, kind, name, hint, environment, scopes,
  created_at, expires_at, last_used_at, revoked_at`

export async function insertKey(
  sql: Sql,
  key: Omit<KeyRow, 'last_used_at' | 'revoked_at'>,
  hash: Buffer,
): Promise<void> {
  await sql.query(
    `INSERT INTO api_keys (id, workspace_id, site_id, kind, name, hint, hash, environment, scopes,
                           created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      key.id,
      key.workspace_id,
      key.site_id,
      key.kind,
      key.name,
      key.hint,
      hash,
      key.environment,
      key.scopes,
      key.created_at,
      key.expires_at,
    ],
  )
}

export async function findKeyByHash(sql: Sql, hash: Buffer): Promise<KeyRow | null> {
  const [row] = await sql.query<KeyRow>(`SELECT ${columns} FROM api_keys WHERE hash = $1`, [hash])
  return row ?? null
}

export async function selectKeys(
  sql: Sql,
  workspaceId: string,
  before: string | null,
  limit: number,
): Promise<KeyRow[]> {
  return sql.query<KeyRow>(
    `SELECT ${columns} FROM api_keys
     WHERE workspace_id = $1 AND ($2::text IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [workspaceId, before, limit],
  )
}

export async function selectKey(sql: Sql, workspaceId: string, id: string): Promise<KeyRow | null> {
  const [row] = await sql.query<KeyRow>(
    `SELECT ${columns} FROM api_keys WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  return row ?? null
}

/** Null when it was revoked in the meantime. */
export async function updateKey(sql: Sql, key: KeyRow): Promise<KeyRow | null> {
  const [row] = await sql.query<KeyRow>(
    `UPDATE api_keys SET name = $3, environment = $4, scopes = $5, expires_at = $6
     WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING ${columns}`,
    [key.workspace_id, key.id, key.name, key.environment, key.scopes, key.expires_at],
  )
  return row ?? null
}

/** Revoking twice keeps the first time. */
export async function revokeKey(sql: Sql, workspaceId: string, id: string, at: Date): Promise<KeyRow | null> {
  const [row] = await sql.query<KeyRow>(
    `UPDATE api_keys SET revoked_at = coalesce(revoked_at, $3)
     WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
    [workspaceId, id, at],
  )
  return row ?? null
}

export async function updateLastUsed(sql: Sql, ids: readonly string[], at: Date): Promise<void> {
  await sql.query('UPDATE api_keys SET last_used_at = $2 WHERE id = ANY($1)', [ids, at])
}

/** A public key belongs to a site, and without it to nothing. */
export async function revokeKeysOfSites(sql: Sql, workspaceId: string, now: Date): Promise<void> {
  await sql.query(
    `UPDATE api_keys SET revoked_at = $2 WHERE workspace_id = $1 AND site_id IS NOT NULL AND revoked_at IS NULL`,
    [workspaceId, now],
  )
}
