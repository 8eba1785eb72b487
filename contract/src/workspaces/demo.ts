import { type Static, Type } from 'typebox'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf, Time } from '../shapes.ts'

const demoStatuses = ['filling', 'ready', 'removing'] as const

/** A separate workspace with synthetic traffic of a shop, to explore the product. */
export const Demo = Type.Object({
  workspace_id: Type.String(),
  site_id: Type.String(),
  status: OneOf(demoStatuses),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  events: Type.Integer({ description: 'Sent so far' }),
  created_at: Time,
})
export type Demo = Static<typeof Demo>

const base = { plane: 'control', access: 'person', tag: 'Workspaces', path: '/v1/demo' } as const

export const getDemo = route({
  ...base,
  id: 'getDemo',
  method: 'GET',
  rate: 'controlRead',
  summary: 'The demo of the caller, and how far it is filled',
  success: { status: 200, body: Type.Object({ demo: Type.Union([Demo, Type.Null()]) }) },
  problems: accessProblems,
})

export const startDemo = route({
  ...base,
  id: 'startDemo',
  method: 'POST',
  rate: 'controlWrite',
  summary: 'Load demo data: a month of made-up traffic',
  description:
    'In a workspace of its own, which the caller owns, so that none of it mixes with anything real. Who has a demo ' +
    'already is answered with that one.',
  success: { status: 202, body: Demo },
  audit: { action: 'workspace.created', byRule: true },
  problems: [...accessProblems, 'conflict'],
})

export const removeDemo = route({
  ...base,
  id: 'removeDemo',
  method: 'DELETE',
  rate: 'controlWrite',
  summary: 'Delete the demo of the caller with everything in it',
  description: 'Within a minute or two. It cannot be taken back.',
  success: { status: 202, body: Demo },
  audit: { action: 'workspace.deletion_requested', byRule: true },
  problems: lookupProblems,
})

export const demoRoutes = [getDemo, startDemo, removeDemo] as const
