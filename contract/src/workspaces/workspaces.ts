import { type Static, Type } from 'typebox'
import { roles } from '../credentials.ts'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf, SnakePage, Time } from '../shapes.ts'

const Name = Type.String({ minLength: 1, maxLength: 120, pattern: '^[^\\u0000]*$' })

/** A workspace as one of its members sees it. */
export const Workspace = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: OneOf(roles, { description: 'Of the caller' }),
  created_at: Time,
  deletion: Type.Union([
    Type.Null(),
    Type.Object({
      requested_at: Time,
      requested_by: Type.String({ description: 'Id of the person' }),
      delete_after: Time,
    }),
  ]),
})
export type Workspace = Static<typeof Workspace>

const base = { plane: 'control', access: 'person', tag: 'Workspaces' } as const
const reads = { ...base, rate: 'controlRead' } as const
const writes = { ...base, rate: 'controlWrite' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })

export const listWorkspaces = route({
  ...reads,
  id: 'listWorkspaces',
  method: 'GET',
  path: '/v1/workspaces',
  summary: 'List the workspaces of the caller, in order of joining',
  success: { status: 200, body: SnakePage(Workspace) },
  problems: accessProblems,
})

export const createWorkspace = route({
  ...writes,
  id: 'createWorkspace',
  method: 'POST',
  path: '/v1/workspaces',
  summary: 'Create a workspace; the caller becomes its owner',
  body: Type.Object({ name: Name }, { additionalProperties: false }),
  success: { status: 201, body: Workspace },
  audit: { action: 'workspace.created', byRule: true },
  problems: [...accessProblems, 'conflict'],
})

export const getWorkspace = route({
  ...reads,
  id: 'getWorkspace',
  method: 'GET',
  path: '/v1/workspaces/:id',
  summary: 'Get one workspace of the caller',
  params: byId,
  success: { status: 200, body: Workspace },
  problems: lookupProblems,
})

export const renameWorkspace = route({
  ...writes,
  id: 'renameWorkspace',
  method: 'PATCH',
  path: '/v1/workspaces/:id',
  summary: 'Rename a workspace',
  description: 'For owners.',
  params: byId,
  body: Type.Object({ name: Name }, { additionalProperties: false }),
  success: { status: 200, body: Workspace },
  audit: { action: 'workspace.renamed', byRule: true },
  problems: [...lookupProblems, 'conflict'],
})

export const deleteWorkspace = route({
  ...writes,
  id: 'deleteWorkspace',
  method: 'DELETE',
  path: '/v1/workspaces/:id',
  summary: 'Delete a workspace with all its data, after a delay',
  description:
    'For owners. Keys and site tokens stop at once, and nothing can be changed any more; people can still read. ' +
    'Until delete_after it can be taken back, and then it is as if nothing had happened.',
  params: byId,
  success: { status: 202, body: Workspace },
  audit: { action: 'workspace.deletion_requested', byRule: true },
  problems: lookupProblems,
})

export const restoreWorkspace = route({
  ...writes,
  id: 'restoreWorkspace',
  method: 'POST',
  path: '/v1/workspaces/:id/restore',
  summary: 'Take the deletion of a workspace back',
  description: 'For owners. Keys and site tokens work again at once.',
  params: byId,
  success: { status: 200, body: Workspace },
  audit: { action: 'workspace.deletion_withdrawn', byRule: true },
  problems: [...lookupProblems, 'conflict'],
})

export const transferWorkspace = route({
  ...writes,
  id: 'transferWorkspace',
  method: 'POST',
  path: '/v1/workspaces/:id/transfer',
  summary: 'Hand a workspace over to another member',
  description: 'For owners. The other member becomes an owner and the caller an admin, both or neither.',
  params: byId,
  body: Type.Object({ user_id: Type.String({ maxLength: 64 }) }, { additionalProperties: false }),
  success: { status: 200, body: Workspace },
  audit: { action: 'workspace.transferred', byRule: true },
  problems: [...lookupProblems, 'conflict'],
})

export const leaveWorkspace = route({
  ...writes,
  id: 'leaveWorkspace',
  method: 'POST',
  path: '/v1/workspaces/:id/leave',
  summary: 'Leave a workspace',
  description: 'The last owner cannot leave: hand the workspace over, or delete it.',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'member.left', byRule: true },
  problems: [...lookupProblems, 'conflict'],
})

export const workspaceRoutes = [
  listWorkspaces,
  createWorkspace,
  getWorkspace,
  renameWorkspace,
  deleteWorkspace,
  restoreWorkspace,
  transferWorkspace,
  leaveWorkspace,
] as const
