import { type Static, Type } from 'typebox'
import { roles } from '../credentials.ts'
import { route } from '../route.ts'
import { OneOf, paging, SnakePage, Time } from '../shapes.ts'

/** A member of a workspace. */
export const Member = Type.Object({
  id: Type.String({ description: 'Id of the person' }),
  email: Type.String(),
  name: Type.String(),
  role: OneOf(roles),
  joined_at: Time,
})
export type Member = Static<typeof Member>

const base = { plane: 'control', tag: 'Members' } as const
const reads = { ...base, access: 'read', scope: 'members:read', rate: 'controlRead' } as const
const writes = { ...base, access: 'write', scope: 'members:write', rate: 'controlWrite' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
const page = Type.Object(
  { ...paging, cursor: Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\u0000]*$' })) },
  { additionalProperties: false },
)
const problems = ['unauthenticated', 'insufficient-scope', 'not-found'] as const
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
  problems: ['unauthenticated', 'insufficient-scope'],
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
  problems: [...problems, 'conflict'],
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
  problems: [...problems, 'conflict'],
})

export const memberRoutes = [listMembers, changeMember, removeMember] as const
