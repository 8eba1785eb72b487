import type { AuditEntry } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

type CommandGrantRow = {
  workspace_id: string
  challenge: string
  name: string
  actor_kind: AuditEntry['actor']['kind']
  actor_id: string
  actor_label: string
}

export async function insertCommandGrant(
  sql: Sql,
  hash: Buffer,
  row: CommandGrantRow,
  expiresAt: Date,
): Promise<void> {
  await sql.query(
    `INSERT INTO command_grants (hash, workspace_id, challenge, name, actor_kind, actor_id, actor_label, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      hash,
      row.workspace_id,
      row.challenge,
      row.name,
      row.actor_kind,
      row.actor_id,
      row.actor_label,
      expiresAt,
    ],
  )
}

/** A code is good for one try, right or wrong. */
export async function takeCommandGrant(sql: Sql, hash: Buffer, now: Date): Promise<CommandGrantRow | null> {
  const [row] = await sql.query<CommandGrantRow>(
    `DELETE FROM command_grants WHERE hash = $1 AND expires_at > $2
     RETURNING workspace_id, challenge, name, actor_kind, actor_id, actor_label`,
    [hash, now],
  )
  return row ?? null
}

export async function deleteOldGrants(sql: Sql, now: Date): Promise<void> {
  await sql.query('DELETE FROM command_grants WHERE expires_at <= $1', [now])
}
