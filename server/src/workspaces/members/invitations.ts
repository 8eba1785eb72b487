import { type Invitation, Problem, type Role, roleScopes, roles, type Scope } from '@assay/contract'
import { type Actor, recordAudit } from '../../audit/audit.ts'
import type { Clock, NewId } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/secrets/tokens.ts'
import { dayMs } from '../../platform/units.ts'
import type { Control, Sql } from '../../store/control.ts'
import { lockWorkspace } from '../store.ts'
import {
  countOpenInvitations,
  type InvitationRow,
  insertInvitation,
  markAccepted,
  markRevoked,
  revokeInvitationsBy,
  selectInvitationByHash,
  selectKeyRights,
  selectOpenInvitation,
  selectOpenInvitationsOf,
} from './invitation-store.ts'
import { mayInvite, requireCovers } from './members.ts'
import { insertMembership, selectMember, selectMemberByEmail } from './store.ts'
import { createUser, deleteUser, readEmail, type UserRow } from './users.ts'

/** Long enough for a holiday weekend, short enough that a forgotten mail is useless months later. */
export const invitationDays = 7
/** How the token of a link begins. */
const tokenKind = 'it'
export const isInvitationToken = (token: string) => token.startsWith(`${tokenKind}_`)
/** Each of them is a mail to a person who did not ask for it. */
const openMax = 100
/** The same inbox is not filled by a caller who loops. */
const againMs = 60_000

type World = { control: Control; now: Clock; newId: NewId }
type InvitationBody = {
  workspaceId: string
  email: string
  role: Role
  scopes: readonly Scope[]
  inviter: Actor
}
export type Sent = { invitation: InvitationRow; workspaceName: string; token: string }

/** The token is in the answer, for the mail, and nowhere else. */
export async function invite({ control, now, newId }: World, wanted: InvitationBody): Promise<Sent> {
  const email = readEmail(wanted.email)
  requireCovers(wanted.scopes, wanted.role)
  const at = new Date(now())
  const token = newToken(tokenKind)
  const invitation = {
    id: newId('inv'),
    workspace_id: wanted.workspaceId,
    email,
    role: wanted.role,
    invited_by: wanted.inviter.id,
    invited_by_label: wanted.inviter.label,
    created_at: at,
    expires_at: new Date(at.getTime() + invitationDays * dayMs),
  }
  return control.transaction(async (sql) => {
    const workspace = await lockWorkspace(sql, wanted.workspaceId)
    await requireInvitable(sql, wanted.workspaceId, email, at)
    await insertInvitation(sql, invitation, hashToken(token))
    const row = { ...invitation, accepted_at: null, accepted_by: null, revoked_at: null }
    return { invitation: row, workspaceName: workspace?.name ?? '', token }
  })
}

/** Takes the place of an open invitation to the same address. */
async function requireInvitable(sql: Sql, workspaceId: string, email: string, at: Date): Promise<void> {
  if ((await selectMemberByEmail(sql, workspaceId, email)) !== null) {
    throw new Problem('conflict', { detail: `${email} is already a member. Change the role instead.` })
  }
  const open = await selectOpenInvitation(sql, workspaceId, email)
  if (open !== null) {
    const waitMs = open.created_at.getTime() + againMs - at.getTime()
    if (waitMs > 0) throw tooSoon(Math.ceil(waitMs / 1000))
    await markRevoked(sql, workspaceId, open.id, at)
  }
  if ((await countOpenInvitations(sql, workspaceId, at)) < openMax) return
  throw new Problem('conflict', {
    detail: `There are ${openMax} open invitations. Revoke some, or wait until they are accepted.`,
  })
}

function tooSoon(seconds: number): Problem {
  return new Problem('rate-limited', {
    detail: `This address was invited just now. Try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  })
}

/** Answers what was revoked. */
export async function revokeOpenInvitation(
  { control, now }: Pick<World, 'control' | 'now'>,
  workspaceId: string,
  id: string,
): Promise<InvitationRow> {
  const revoked = await markRevoked(control, workspaceId, id, new Date(now()))
  if (revoked === null) throw new Problem('not-found', { detail: 'There is no such open invitation.' })
  return revoked
}

/** A maker who has lost every right takes the open invitations along. */
export async function revokeInvitationsOfMaker(
  sql: Sql,
  workspaceId: string,
  makerId: string,
  at: Date,
): Promise<void> {
  await revokeInvitationsBy(sql, workspaceId, makerId, roles, at)
}

/** A person who has proved their identity. */
type Invitee = { userId: string; email: string; requestId?: string; country?: string }

/**
 * By the link: its owner got it from the mail, so it counts for the account that they use. Signing in with
 * the address may have accepted it a moment before; for the same person that makes no difference. Null when
 * it is not open.
 */
export async function acceptByToken(world: World, token: string, invitee: Invitee): Promise<string | null> {
  const invitation = await selectInvitationByHash(world.control, hashToken(token))
  const isTheirs = invitation?.accepted_by === invitee.userId
  if (invitation === null) return null
  return isTheirs || (await join(world, invitation, invitee)) ? invitation.workspace_id : null
}

/**
 * Where no mail shows whose an address is, the link opens an account, once: a new one, in this workspace alone. Its
 * address stays unverified. Null when the invitation is not open, or the address has an account.
 */
export async function acceptAsNewUser(world: World, token: string): Promise<UserRow | null> {
  const { control, now, newId } = world
  const invitation = await selectInvitationByHash(control, hashToken(token))
  if (invitation === null) return null
  const { email } = invitation
  return control.transaction(async (sql) => {
    const user = await createUser(sql, newId, now, email)
    if (user === null) return null
    if (await joinWithin(sql, world, invitation, { userId: user.id, email })) return user
    await deleteUser(sql, user.id)
    return null
  })
}

/** By signing in: the address was just shown to be theirs. Answers the workspaces that were joined. */
export async function acceptOpenInvitations(world: World, invitee: Invitee): Promise<string[]> {
  const open = await selectOpenInvitationsOf(world.control, invitee.email, new Date(world.now()))
  const joined: string[] = []
  for (const invitation of open) {
    if (await join(world, invitation, invitee)) joined.push(invitation.workspace_id)
  }
  return joined
}

/** Whether a person without an account may sign in, because a workspace invited them. */
export async function isInvited({ control, now }: Omit<World, 'newId'>, email: string): Promise<boolean> {
  const at = new Date(now())
  for (const invitation of await selectOpenInvitationsOf(control, email, at)) {
    if (await isBacked(control, invitation, at)) return true
  }
  return false
}

/** Whether who sent it may still send it: an invitation gives no more than its maker has by now. */
async function isBacked(sql: Sql, invitation: InvitationRow, at: Date): Promise<boolean> {
  const { workspace_id: workspaceId, invited_by: maker, role } = invitation
  const member = await selectMember(sql, workspaceId, maker)
  if (member !== null) return mayInvite(roleScopes[member.role], role)
  const scopes = await selectKeyRights(sql, workspaceId, maker, at)
  return scopes !== null && mayInvite(scopes, role)
}

/** False when it is not open any more, its maker lost the right, or its workspace is on its way out. */
function join(world: World, invitation: InvitationRow, invitee: Invitee): Promise<boolean> {
  return world.control.transaction((sql) => joinWithin(sql, world, invitation, invitee))
}

async function joinWithin(
  sql: Sql,
  { now, newId }: Pick<World, 'now' | 'newId'>,
  invitation: InvitationRow,
  invitee: Invitee,
): Promise<boolean> {
  const { id, workspace_id: workspaceId, role } = invitation
  const workspace = await lockWorkspace(sql, workspaceId)
  if (workspace === null || workspace.delete_requested_at !== null) return false
  const at = new Date(now())
  if (!(await isBacked(sql, invitation, at))) return false
  if (!(await markAccepted(sql, id, invitee.userId, at))) return false
  // Who became a member in another way keeps the role that they were given there.
  const member = await selectMember(sql, workspaceId, invitee.userId)
  if (member === null) await insertMembership(sql, workspaceId, invitee.userId, role, at)
  await recordAudit(sql, newId, now, {
    workspaceId,
    actor: { kind: 'person', id: invitee.userId, label: invitee.email },
    action: 'invitation.accepted',
    objectId: id,
    details: { role: member?.role ?? role, invited_as: invitation.email },
    requestId: invitee.requestId ?? '',
    country: invitee.country ?? '',
  })
  return true
}

export function toInvitation(row: InvitationRow, nowMs: number): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    status: statusOf(row, nowMs),
    invited_by: row.invited_by_label,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
}

function statusOf(row: InvitationRow, nowMs: number): Invitation['status'] {
  if (row.accepted_at !== null) return 'accepted'
  if (row.revoked_at !== null) return 'revoked'
  return row.expires_at.getTime() <= nowMs ? 'expired' : 'pending'
}
