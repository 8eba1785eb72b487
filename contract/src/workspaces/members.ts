import { type Static, Type } from 'typebox'
import { roles } from '../credentials.ts'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf, SnakePage, Time } from '../shapes.ts'
import { byId, page, reads, writes } from './member-access.ts'

/** A member of a workspace. */
export const Member = Type.Object({
  id: Type.String({ description: 'Id of the person' }),
  email: Type.String(),
  name: Type.String(),
  role: OneOf(roles),
  joined_at: Time,
})
export type Member = Static<typeof Member>

/** Part of the description of every route that gives or takes a role. */
export const withinOwnRole = 'No one can give or take a role that exceeds their own.'

export const listMembers = route({
  ...reads,
  id: 'listMembers',
  method: 'GET',
  path: '/v1/members',
  summary: 'List the members of the workspace',
  query: page,
  success: { status: 200, body: SnakePage(Member) },
  problems: accessProblems,
})

export const changeMember = route({
  ...writes,
  id: 'changeMember',
  method: 'PATCH',
  path: '/v1/members/:id',
  summary: 'Change the role of a member',
  description: `${withinOwnRole} The last owner cannot be removed. Effective on every node at once.`,
  params: byId,
  body: Type.Object({ role: OneOf(roles) }, { additionalProperties: false }),
  success: { status: 200, body: Member },
  audit: { action: 'member.role_changed', details: ['email', 'role'] },
  problems: [...lookupProblems, 'conflict'],
})

export const removeMember = route({
  ...writes,
  id: 'removeMember',
  method: 'DELETE',
  path: '/v1/members/:id',
  summary: 'Remove a member from the workspace',
  description:
    `${withinOwnRole} The last owner cannot be removed. Invitations that the member sent and that are still open are ` +
    'revoked; keys that the member minted are the workspace’s and stay.',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'member.removed' },
  problems: [...lookupProblems, 'conflict'],
})

export const memberRoutes = [listMembers, changeMember, removeMember] as const
