import { Problem, type Workspace } from '@assay/contract'
import { type NewEntry, recordAudit } from '../audit/audit.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import { dayMs } from '../platform/units.ts'
import type { Control, Sql } from '../store/control.ts'
import { endMembership, giveRole, unknownMember } from './members/members.ts'
import { insertMembership, type MemberRow, selectMember } from './members/store.ts'
import { selectUserEmail } from './members/user-store.ts'
import {
  countOwned,
  insertWorkspace,
  lockWorkspace,
  type OwnWorkspaceRow,
  selectOwnWorkspace,
  updateDeletion,
  updateWorkspaceName,
  type WorkspaceRow,
} from './store.ts'

/** No one needs more, and each one is maintained forever. */
const ownedMax = 50

export type World = { control: Control; now: Clock; newId: NewId }
/** Who asks, and by which request. */
export type Asker = { userId: string; requestId: string; country: string }
type Happening = Pick<NewEntry, 'action' | 'objectId'> & { details?: Record<string, unknown> }

export function createOwnWorkspace(world: World, asker: Asker, name: string): Promise<OwnWorkspaceRow> {
  const { control, now, newId } = world
  return control.transaction(async (sql) => {
    if ((await countOwned(sql, asker.userId)) >= ownedMax) {
      throw new Problem('conflict', { detail: `You own ${ownedMax} workspaces, and that is the limit.` })
    }
    const id = newId('ws')
    await insertWorkspace(sql, id, name)
    await insertMembership(sql, id, asker.userId, 'owner', new Date(now()))
    await record(sql, world, asker, id, { action: 'workspace.created', objectId: id, details: { name } })
    return requireOwn(sql, asker.userId, id)
  })
}

export function renameOwnWorkspace(
  world: World,
  asker: Asker,
  id: string,
  name: string,
): Promise<OwnWorkspaceRow> {
  return asOwner(world, asker, id, async (sql, workspace) => {
    requireOpen(workspace)
    await updateWorkspaceName(sql, id, name)
    return { action: 'workspace.renamed', objectId: id, details: { from: workspace.name, name } }
  })
}

/** A second request changes nothing: the time of the first one counts. */
export function requestDeletion(
  world: World,
  asker: Asker,
  id: string,
  delayDays: number,
): Promise<OwnWorkspaceRow> {
  return asOwner(world, asker, id, async (sql, workspace) => {
    if (workspace.delete_requested_at !== null) return null
    const at = new Date(world.now())
    const after = new Date(at.getTime() + delayDays * dayMs)
    await updateDeletion(sql, id, { at, by: asker.userId, after })
    const details = { delete_after: after.toISOString() }
    return { action: 'workspace.deletion_requested', objectId: id, details }
  })
}

export function withdrawDeletion(world: World, asker: Asker, id: string): Promise<OwnWorkspaceRow> {
  return asOwner(world, asker, id, async (sql, workspace) => {
    if (workspace.delete_requested_at === null) {
      throw new Problem('conflict', { detail: 'This workspace is not being deleted.' })
    }
    if (workspace.delete_started_at !== null) {
      throw new Problem('conflict', { detail: 'The deletion has started and cannot be cancelled.' })
    }
    await updateDeletion(sql, id, null)
    return { action: 'workspace.deletion_withdrawn', objectId: id }
  })
}

export function transferOwnership(
  world: World,
  asker: Asker,
  id: string,
  heirId: string,
): Promise<OwnWorkspaceRow> {
  return asOwner(world, asker, id, async (sql, workspace) => {
    requireOpen(workspace)
    const heir = await selectMember(sql, id, heirId)
    if (heir === null) throw unknownMember()
    if (heirId === asker.userId) throw new Problem('conflict', { detail: 'You already own this workspace.' })
    await giveRole(sql, world.now, id, heirId, 'owner')
    await giveRole(sql, world.now, id, asker.userId, 'admin')
    return { action: 'workspace.transferred', objectId: id, details: { to: heirId, email: heir.email } }
  })
}

export async function leaveWorkspace(world: World, asker: Asker, id: string): Promise<void> {
  const { control, now } = world
  await control.transaction(async (sql) => {
    const { member } = await lockOwn(sql, asker.userId, id)
    await endMembership(sql, now, id, member)
    const { email, role, user_id: objectId } = member
    await record(sql, world, asker, id, { action: 'member.left', objectId, details: { email, role } })
  })
}

/** For others a workspace looks as if it did not exist. */
export async function requireOwn(sql: Sql, userId: string, id: string): Promise<OwnWorkspaceRow> {
  // Postgres refuses a text with this character rather than not finding it.
  const row = id.includes('\0') ? null : await selectOwnWorkspace(sql, userId, id)
  if (row === null) throw unknownWorkspace()
  return row
}

/** In one transaction: the change, and who made it. Null when there was nothing to change. */
function asOwner(
  world: World,
  asker: Asker,
  id: string,
  change: (sql: Sql, workspace: WorkspaceRow) => Promise<Happening | null>,
): Promise<OwnWorkspaceRow> {
  return world.control.transaction(async (sql) => {
    const { workspace, member } = await lockOwn(sql, asker.userId, id)
    if (member.role !== 'owner') {
      throw new Problem('insufficient-scope', {
        detail: `Your role in this workspace is ${member.role}; this takes owner.`,
      })
    }
    const happening = await change(sql, workspace)
    if (happening !== null) await record(sql, world, asker, id, happening)
    return requireOwn(sql, asker.userId, id)
  })
}

async function lockOwn(
  sql: Sql,
  userId: string,
  id: string,
): Promise<{ workspace: WorkspaceRow; member: MemberRow }> {
  // Looked up first, so that a stranger cannot make members wait by locking their workspace.
  await requireOwn(sql, userId, id)
  const workspace = await lockWorkspace(sql, id)
  const member = await selectMember(sql, id, userId)
  if (workspace === null || member === null) throw unknownWorkspace()
  return { workspace, member }
}

async function record(
  sql: Sql,
  { newId, now }: World,
  { userId, requestId, country }: Asker,
  workspaceId: string,
  happening: Happening,
): Promise<void> {
  const actor = { kind: 'person', id: userId, label: await selectUserEmail(sql, userId) } as const
  await recordAudit(sql, newId, now, { workspaceId, actor, requestId, country, ...happening })
}

function requireOpen(workspace: WorkspaceRow): void {
  if (workspace.delete_requested_at === null) return
  throw new Problem('conflict', {
    detail: 'This workspace is scheduled for deletion. Cancel the deletion before you change anything.',
  })
}

function unknownWorkspace(): Problem {
  return new Problem('not-found', { detail: 'There is no such workspace.' })
}

export function toWorkspace(row: OwnWorkspaceRow): Workspace {
  const { delete_requested_at: requestedAt, delete_requested_by: requestedBy, delete_after: after } = row
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    created_at: row.created_at.toISOString(),
    deletion:
      requestedAt === null || after === null
        ? null
        : {
            requested_at: requestedAt.toISOString(),
            requested_by: requestedBy ?? '',
            delete_after: after.toISOString(),
          },
  }
}
