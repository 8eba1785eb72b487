import type { Role, Scope } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export type InvitationRow = {
  id: string
  workspace_id: string
  email: string
  role: Role
  invited_by: string
  invited_by_label: string
  created_at: Date
  expires_at: Date
  accepted_at: Date | null
  accepted_by: string | null
  revoked_at: Date | null
}

const invitationColumns = `id, workspace_id, email, role, invited_by, invited_by_label, created_at, expires_at,
  accepted_at, accepted_by, revoked_at`
const isOpen = 'accepted_at IS NULL AND revoked_at IS NULL'

export async function insertInvitation(
  sql: Sql,
  row: Omit<InvitationRow, 'accepted_at' | 'accepted_by' | 'revoked_at'>,
  hash: Buffer,
): Promise<void> {
  await sql.query(
    `INSERT INTO invitations
       (id, workspace_id, email, role, invited_by, invited_by_label, created_at, expires_at, hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      row.id,
      row.workspace_id,
      row.email,
      row.role,
      row.invited_by,
      row.invited_by_label,
      row.created_at,
      row.expires_at,
      hash,
    ],
  )
}

export async function selectInvitations(
  sql: Sql,
  workspaceId: string,
  before: string | null,
  limit: number,
): Promise<InvitationRow[]> {
  return sql.query<InvitationRow>(
    `SELECT ${invitationColumns} FROM invitations
     WHERE workspace_id = $1 AND ($2::text IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [workspaceId, before, limit],
  )
}

export async function selectOpenInvitation(
  sql: Sql,
  workspaceId: string,
  email: string,
): Promise<InvitationRow | null> {
  const [row] = await sql.query<InvitationRow>(
    `SELECT ${invitationColumns} FROM invitations WHERE workspace_id = $1 AND email = $2 AND ${isOpen}`,
    [workspaceId, email],
  )
  return row ?? null
}

export async function countOpenInvitations(sql: Sql, workspaceId: string, now: Date): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM invitations WHERE workspace_id = $1 AND ${isOpen} AND expires_at > $2`,
    [workspaceId, now],
  )
  return row?.count ?? 0
}

export async function selectInvitationByHash(sql: Sql, hash: Buffer): Promise<InvitationRow | null> {
  const [row] = await sql.query<InvitationRow>(
    `SELECT ${invitationColumns} FROM invitations WHERE hash = $1`,
    [hash],
  )
  return row ?? null
}

export async function selectOpenInvitationsOf(sql: Sql, email: string, now: Date): Promise<InvitationRow[]> {
  return sql.query<InvitationRow>(
    `SELECT ${invitationColumns} FROM invitations WHERE email = $1 AND ${isOpen} AND expires_at > $2
     ORDER BY id`,
    [email, now],
  )
}

/** False when another request was faster, or it is not open any more. */
export async function markAccepted(sql: Sql, id: string, userId: string, now: Date): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE invitations SET accepted_at = $3, accepted_by = $2
     WHERE id = $1 AND ${isOpen} AND expires_at > $3 RETURNING id`,
    [id, userId, now],
  )
  return rows.length === 1
}

/** Null when there is no such open invitation. */
export async function markRevoked(
  sql: Sql,
  workspaceId: string,
  id: string,
  at: Date,
): Promise<InvitationRow | null> {
  const [row] = await sql.query<InvitationRow>(
    `UPDATE invitations SET revoked_at = $3 WHERE workspace_id = $1 AND id = $2 AND ${isOpen}
     RETURNING ${invitationColumns}`,
    [workspaceId, id, at],
  )
  return row ?? null
}

/** Those to one of these roles. */
export async function revokeInvitationsBy(
  sql: Sql,
  workspaceId: string,
  inviter: string,
  roles: readonly Role[],
  at: Date,
): Promise<void> {
  await sql.query(
    `UPDATE invitations SET revoked_at = $4
     WHERE workspace_id = $1 AND invited_by = $2 AND role = ANY ($3::text[]) AND ${isOpen}`,
    [workspaceId, inviter, roles, at],
  )
}

/** What a key of the whole workspace may do; null when it is of one site, revoked, expired or unknown. */
export async function selectKeyRights(
  sql: Sql,
  workspaceId: string,
  keyId: string,
  at: Date,
): Promise<Scope[] | null> {
  const [row] = await sql.query<{ scopes: Scope[] }>(
    `SELECT scopes FROM api_keys
     WHERE workspace_id = $1 AND id = $2 AND site_id IS NULL AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > $3)`,
    [workspaceId, keyId, at],
  )
  return row?.scopes ?? null
}
