import { changeMember, listMembers, removeMember } from '@assay/contract'
import { type Plane, serve } from '../../http/serve.ts'
import { pageDefault, pageOf } from '../../platform/page.ts'
import type { Platform } from '../../platform/platform.ts'
import type { MembershipChanges } from '../membership-changes.ts'
import * as members from './members.ts'
import { selectMembers } from './store.ts'

type Needs = Pick<Platform, 'control' | 'now'> & { membershipChanges: MembershipChanges }

export function memberRoutes(plane: Plane, deps: Needs): void {
  const { control, membershipChanges, now } = deps

  serve(plane, listMembers, async ({ query, caller }) => {
    const limit = query.limit ?? pageDefault
    const rows = await selectMembers(control, caller.workspaceId, query.cursor ?? null, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ user_id }) => user_id)
    return { data: page.map(members.toMember), next_cursor: next }
  })

  serve(plane, changeMember, async ({ params, body, caller, notes }) => {
    const { workspaceId, scopes } = caller
    const change = { workspaceId, scopes, userId: params.id }
    const before = await members.changeRole(control, now, change, body.role)
    notes.details.from = before.role
    await membershipChanges.changed(params.id)
    return members.toMember({ ...before, role: body.role })
  })

  serve(plane, removeMember, async ({ params, caller: { workspaceId, scopes }, notes }) => {
    const { email, role } = await members.removeMember(control, now, {
      workspaceId,
      scopes,
      userId: params.id,
    })
    notes.details = { email, role }
    await membershipChanges.changed(params.id)
    return undefined
  })
}
