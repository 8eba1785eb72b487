import { type Member, Problem, type Role, roleScopes, roles, type Scope } from '@assay/contract'
import { missingScopes } from '../../http/access/principal.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Control, Sql } from '../../store/control.ts'
import { lockWorkspace } from '../store.ts'
import { revokeInvitationsBy } from './invitation-store.ts'
import { countOwners, deleteMember, type MemberRow, selectMember, updateRole } from './store.ts'

/** Which member a caller with these scopes wants to change. */
type MemberChange = { workspaceId: string; userId: string; scopes: readonly Scope[] }

/** Answers the member as it was. */
export function changeRole(
  control: Control,
  now: Clock,
  change: MemberChange,
  role: Role,
): Promise<MemberRow> {
  return control.transaction(async (sql) => {
    const member = await requireChangeable(sql, change)
    requireCovers(change.scopes, role)
    if (role !== 'owner') await requireOtherOwner(sql, change.workspaceId, member)
    await giveRole(sql, now, change.workspaceId, change.userId, role)
    return member
  })
}

/** To be called with the workspace locked. Invitations that the new role could not send lose their effect. */
export async function giveRole(
  sql: Sql,
  now: Clock,
  workspaceId: string,
  userId: string,
  role: Role,
): Promise<void> {
  await updateRole(sql, workspaceId, userId, role)
  const outgrown = roles.filter((one) => !mayInvite(roleScopes[role], one))
  await revokeInvitationsBy(sql, workspaceId, userId, outgrown, new Date(now()))
}

/** Whether a caller with these scopes may invite others as this role. */
export function mayInvite(scopes: readonly Scope[], role: Role): boolean {
  return missingScopes(scopes, ['members:write', ...roleScopes[role]]).length === 0
}

/** Answers who it was. */
export function removeMember(control: Control, now: Clock, change: MemberChange): Promise<MemberRow> {
  return control.transaction(async (sql) => {
    const member = await requireChangeable(sql, change)
    await endMembership(sql, now, change.workspaceId, member)
    return member
  })
}

/** To be called with the workspace locked. */
export async function endMembership(
  sql: Sql,
  now: Clock,
  workspaceId: string,
  member: MemberRow,
): Promise<void> {
  await requireOtherOwner(sql, workspaceId, member)
  await deleteMember(sql, workspaceId, member.user_id)
  await revokeInvitationsBy(sql, workspaceId, member.user_id, roles, new Date(now()))
}

async function requireChangeable(
  sql: Sql,
  { workspaceId, userId, scopes }: MemberChange,
): Promise<MemberRow> {
  await lockWorkspace(sql, workspaceId)
  const member = await selectMember(sql, workspaceId, userId)
  if (member === null) throw unknownMember()
  requireCovers(scopes, member.role)
  return member
}

/** The workspace is locked, so no one can leave concurrently and at least one owner stays. */
async function requireOtherOwner(sql: Sql, workspaceId: string, member: MemberRow): Promise<void> {
  if (member.role !== 'owner' || (await countOwners(sql, workspaceId)) > 1) return
  throw new Problem('conflict', {
    detail: 'This is the last owner. Make another member an owner first, or delete the workspace.',
  })
}

/** Only a member with every permission of a role may give or take it. */
export function requireCovers(scopes: readonly Scope[], role: Role): void {
  if (missingScopes(scopes, roleScopes[role]).length === 0) return
  throw new Problem('insufficient-scope', {
    detail: `The role ${role} may do more than you may, so you cannot give or take it.`,
  })
}

export function unknownMember(): Problem {
  return new Problem('not-found', { detail: 'There is no such member.' })
}

export function toMember(row: MemberRow): Member {
  return {
    id: row.user_id,
    email: row.email,
    name: row.name,
    role: row.role,
    joined_at: row.created_at.toISOString(),
  }
}
