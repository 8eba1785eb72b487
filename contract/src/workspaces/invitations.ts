import { type Static, Type } from 'typebox'
import { roles } from '../credentials.ts'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { emailLengthMax, OneOf, SnakePage, Time } from '../shapes.ts'
import { base, byId, page, reads, writes } from './member-access.ts'
import { withinOwnRole } from './members.ts'
import { Workspace } from './workspaces.ts'

const invitationStatuses = ['pending', 'accepted', 'revoked', 'expired'] as const

/** An invitation without its link, which is only in the mail. */
export const Invitation = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: OneOf(roles),
  status: OneOf(invitationStatuses),
  invited_by: Type.String({ description: 'Name of the key or address of the person, as it was then' }),
  created_at: Time,
  expires_at: Time,
})
export type Invitation = Static<typeof Invitation>

const MadeInvitation = Type.Object({
  ...Invitation.properties,
  link: Type.Union([Type.String(), Type.Null()], {
    description:
      'To hand over yourself, where no mail server is set; here and nowhere else. Null: it was mailed',
  }),
})

export const inviteMember = route({
  ...writes,
  id: 'inviteMember',
  method: 'POST',
  path: '/v1/invitations',
  summary: 'Invite someone by mail',
  description:
    `${withinOwnRole} The link in the mail works once and for seven days; signing in with that address accepts too. ` +
    'Inviting an address again replaces its open invitation. Without a mail server the answer has the link, ' +
    'and the link makes the account of an address that has none, in this workspace alone.',
  body: Type.Object(
    { email: Type.String({ minLength: 3, maxLength: emailLengthMax }), role: OneOf(roles) },
    { additionalProperties: false },
  ),
  success: { status: 201, body: MadeInvitation },
  audit: { action: 'invitation.sent', details: ['email', 'role'] },
  problems: [...accessProblems, 'conflict'],
})

export const listInvitations = route({
  ...reads,
  id: 'listInvitations',
  method: 'GET',
  path: '/v1/invitations',
  summary: 'List invitations, newest first',
  query: page,
  success: { status: 200, body: SnakePage(Invitation) },
  problems: accessProblems,
})

export const revokeInvitation = route({
  ...writes,
  id: 'revokeInvitation',
  method: 'DELETE',
  path: '/v1/invitations/:id',
  summary: 'Revoke an open invitation',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'invitation.revoked' },
  problems: lookupProblems,
})

export const acceptInvitation = route({
  ...base,
  id: 'acceptInvitation',
  method: 'POST',
  path: '/v1/invitations/accept',
  access: 'person',
  rate: 'controlWrite',
  summary: 'Accept an invitation by the token in its link',
  description: 'For any signed-in user. Unknown, used, revoked and expired ones answer the same.',
  body: Type.Object(
    { token: Type.String({ minLength: 1, maxLength: 200 }) },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Workspace },
  audit: { action: 'invitation.accepted', byRule: true },
  problems: lookupProblems,
})

export const invitationRoutes = [inviteMember, listInvitations, revokeInvitation, acceptInvitation] as const
