import { acceptInvitation, inviteMember, listInvitations, Problem, revokeInvitation } from '@assay/contract'
import { actorOf } from '../../audit/audit.ts'
import { type Plane, serve, showAllowance } from '../../http/serve.ts'
import { pageDefault, pageOf } from '../../platform/page.ts'
import type { Platform } from '../../platform/platform.ts'
import type { MembershipChanges } from '../membership-changes.ts'
import { requireOwn, toWorkspace } from '../own-workspaces.ts'
import { invitationMail } from './invitation-mail.ts'
import { selectInvitations } from './invitation-store.ts'
import { acceptByToken, invite, revokeOpenInvitation, toInvitation } from './invitations.ts'
import { selectUserEmail } from './user-store.ts'

type Needs = Platform & { membershipChanges: MembershipChanges }

export function invitationRoutes(plane: Plane, deps: Needs): void {
  const { control, membershipChanges, mailer, countryOfRequest, publicUrl, now } = deps

  serve(plane, inviteMember, async ({ body, caller, notes }) => {
    const { workspaceId, scopes } = caller
    const inviter = await actorOf(control, caller)
    const sent = await invite(deps, { workspaceId, scopes, inviter, ...body })
    notes.objectId = sent.invitation.id
    // Not awaited: a mail server may take long, and what it says is for the operator.
    const mail = invitationMail(sent, publicUrl())
    void mailer.send(mail)
    return { ...toInvitation(sent.invitation, now()), link: mailer.hasServer ? null : mail.link }
  })

  serve(plane, listInvitations, async ({ query, caller }) => {
    const limit = query.limit ?? pageDefault
    const rows = await selectInvitations(control, caller.workspaceId, query.cursor ?? null, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return { data: page.map((row) => toInvitation(row, now())), next_cursor: next }
  })

  serve(plane, revokeInvitation, async ({ params, caller, notes }) => {
    const { email, role } = await revokeOpenInvitation(deps, caller.workspaceId, params.id)
    notes.details = { email, role }
    return undefined
  })

  serve(plane, acceptInvitation, async ({ body, caller: { userId }, request, reply }) => {
    const workspaceId = await acceptByToken(deps, body.token, {
      userId,
      email: await selectUserEmail(control, userId),
      requestId: request.id,
      country: countryOfRequest(request),
    })
    if (workspaceId === null) {
      // Guessing links is counted by source address, as guessing keys is.
      showAllowance(reply, plane.limits.charge('signIn', request.ip))
      throw new Problem('not-found', {
        detail: 'This invitation is not open: it was used, revoked or has expired. Ask for a new one.',
      })
    }
    await membershipChanges.changed(userId)
    return toWorkspace(await requireOwn(control, userId, workspaceId))
  })
}
