import type { Narrowing, Share } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { savedRows } from '../store/saved/saved-rows.ts'

export type ShareRow = {
  workspace_id: string
  id: string
  site_id: string
  type: Share['type']
  target_id: string | null
  narrowing: Narrowing
  password_hash: string | null
  expires_at: Date | null
  origins: string[]
  theme: Share['theme']
  owner: string
  created_at: Date
}

const columns = `workspace_id, id, site_id, type, target_id, narrowing, password_hash, expires_at, origins, theme,
  owner, created_at`

export const {
  one: selectShare,
  list: selectShares,
  remove: deleteShareRow,
} = savedRows<ShareRow>('shares', columns)

/** False when the site has as many as it may. Inserts of one site run one after the other. */
export async function insertShare(
  sql: Sql,
  row: ShareRow,
  tokenHash: Buffer,
  most: number,
): Promise<boolean> {
  await sql.query('SELECT 1 FROM sites WHERE id = $1 FOR NO KEY UPDATE', [row.site_id])
  const rows = await sql.query(
    `INSERT INTO shares (${columns}, token_hash)
     SELECT $1, $2, $3, $4, $5, $6::json, $7, $8, $9, $10, $11, $12, $13
     WHERE (SELECT count(*) FROM shares WHERE workspace_id = $1 AND site_id = $3) < $14
     RETURNING id`,
    [
      row.workspace_id,
      row.id,
      row.site_id,
      row.type,
      row.target_id,
      JSON.stringify(row.narrowing),
      row.password_hash,
      row.expires_at,
      row.origins,
      row.theme,
      row.owner,
      row.created_at,
      tokenHash,
      most,
    ],
  )
  return rows.length === 1
}

export async function updateShareRow(sql: Sql, row: ShareRow): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE shares SET narrowing = $3::json, password_hash = $4, expires_at = $5, origins = $6, theme = $7
     WHERE workspace_id = $1 AND id = $2 RETURNING 1`,
    [
      row.workspace_id,
      row.id,
      JSON.stringify(row.narrowing),
      row.password_hash,
      row.expires_at,
      row.origins,
      row.theme,
    ],
  )
  return rows.length === 1
}

/** By the hash of its secret, whichever workspace it is of: the secret is all that a visitor has. */
export async function selectShareByToken(sql: Sql, tokenHash: Buffer): Promise<ShareRow | null> {
  const [row] = await sql.query<ShareRow>(`SELECT ${columns} FROM shares WHERE token_hash = $1`, [tokenHash])
  return row ?? null
}
