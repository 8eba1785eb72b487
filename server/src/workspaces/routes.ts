import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  leaveWorkspace,
  listWorkspaces,
  renameWorkspace,
  restoreWorkspace,
  transferWorkspace,
} from '@assay/contract'
import type { FastifyRequest } from 'fastify'
import type { SignedIn } from '../http/access/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import type { Platform } from '../platform/platform.ts'
import type { ClosedWorkspaces } from './closed-workspaces.ts'
import { deletionMail } from './mail.ts'
import { selectOwnerEmails } from './members/store.ts'
import { selectUserEmail } from './members/user-store.ts'
import type { MembershipChanges } from './membership-changes.ts'
import * as own from './own-workspaces.ts'
import { type OwnWorkspaceRow, selectOwnWorkspaces } from './store.ts'

type Needs = Platform & {
  membershipChanges: MembershipChanges
  closedWorkspaces: ClosedWorkspaces
  workspaceDeleteDays: number
}

/** More than anyone can distinguish; owned ones are bounded, and no one is invited to so many. */
const workspacesMax = 1_000

export function workspaceRoutes(plane: Plane, deps: Needs): void {
  const { control, membershipChanges, countryOfRequest } = deps
  const askerOf = (caller: SignedIn, request: FastifyRequest): own.Asker => ({
    userId: caller.userId,
    requestId: request.id,
    country: countryOfRequest(request),
  })

  serve(plane, listWorkspaces, async ({ caller }) => {
    const rows = await selectOwnWorkspaces(control, caller.userId, workspacesMax)
    return { data: rows.map(own.toWorkspace), next_cursor: null }
  })

  serve(plane, getWorkspace, async ({ params, caller }) =>
    own.toWorkspace(await own.requireOwn(control, caller.userId, params.id)),
  )

  serve(plane, createWorkspace, async ({ body, caller, request }) => {
    const row = await own.createOwnWorkspace(deps, askerOf(caller, request), body.name)
    await membershipChanges.changed(caller.userId)
    return own.toWorkspace(row)
  })

  serve(plane, renameWorkspace, async ({ params, body, caller, request }) =>
    own.toWorkspace(await own.renameOwnWorkspace(deps, askerOf(caller, request), params.id, body.name)),
  )

  serve(plane, transferWorkspace, async ({ params, body, caller, request }) => {
    const row = await own.transferOwnership(deps, askerOf(caller, request), params.id, body.user_id)
    await membershipChanges.changed(caller.userId)
    await membershipChanges.changed(body.user_id)
    return own.toWorkspace(row)
  })

  serve(plane, leaveWorkspace, async ({ params, caller, request }) => {
    await own.leaveWorkspace(deps, askerOf(caller, request), params.id)
    await membershipChanges.changed(caller.userId)
    return undefined
  })

  deletionRoutes(plane, deps, askerOf)
}

function deletionRoutes(
  plane: Plane,
  deps: Needs,
  askerOf: (caller: SignedIn, request: FastifyRequest) => own.Asker,
): void {
  const { closedWorkspaces, workspaceDeleteDays } = deps

  serve(plane, deleteWorkspace, async ({ params, caller, request }) => {
    const row = await own.requestDeletion(deps, askerOf(caller, request), params.id, workspaceDeleteDays)
    await closedWorkspaces.close(row.id)
    await mailOwners(deps, row, caller.userId)
    return own.toWorkspace(row)
  })

  serve(plane, restoreWorkspace, async ({ params, caller, request }) => {
    const row = await own.withdrawDeletion(deps, askerOf(caller, request), params.id)
    await closedWorkspaces.reopen(row.id)
    return own.toWorkspace(row)
  })
}

/** Every owner is notified in time to cancel it, also one whose session was stolen. */
async function mailOwners({ control, mailer, publicUrl }: Needs, row: OwnWorkspaceRow, askerId: string) {
  const asker = await selectUserEmail(control, askerId)
  for (const email of await selectOwnerEmails(control, row.id)) {
    void mailer.send(deletionMail(email, row, asker, publicUrl()))
  }
}
