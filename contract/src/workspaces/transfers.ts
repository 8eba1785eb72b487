import { type Static, Type } from 'typebox'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf, Time } from '../shapes.ts'

/** Version of the export format; a server reads only its own. */
export const transferFormat = 1

export const transferLimits = {
  /** Pieces are whole lines, and a body may have 4 MB with everything in it escaped. */
  pieceBytesMax: 1_048_576,
  /** 256 GB: more than one node should ever import. */
  bytesMax: 274_877_906_944,
  partsMax: 200,
  /** How long the server keeps the files of an export or an unfinished import. */
  keptHours: 24,
} as const

const PartName = Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z_]+$' })

export const TransferPart = Type.Object(
  {
    name: PartName,
    rows: Type.Integer({ minimum: 0 }),
    bytes: Type.Integer({ minimum: 0, maximum: transferLimits.bytesMax }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  { additionalProperties: false },
)
export type TransferPart = Static<typeof TransferPart>

export const TransferManifest = Type.Object(
  {
    format: Type.Integer({ minimum: 1 }),
    workspace_id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_]+$' }),
    workspace_name: Type.String({ maxLength: 200 }),
    exported_at: Type.String({ maxLength: 40, description: 'RFC 3339' }),
    person_key: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'The secret that person ids are derived with. It allows deriving an id from an identifier.',
    }),
    schema: Type.String({ maxLength: 200, description: 'The last steps of the schemas that the rows fit' }),
    parts: Type.Array(TransferPart, { maxItems: transferLimits.partsMax }),
  },
  { additionalProperties: false },
)
export type TransferManifest = Static<typeof TransferManifest>

export const WorkspaceExport = Type.Object({
  id: Type.String(),
  status: OneOf(['running', 'done', 'failed']),
  rows_done: Type.Integer({ minimum: 0 }),
  error: Type.Union([Type.String(), Type.Null()]),
  manifest: Type.Union([TransferManifest, Type.Null()]),
  expires_at: Time,
})
export type WorkspaceExport = Static<typeof WorkspaceExport>

export const WorkspaceImport = Type.Object({
  id: Type.String(),
  status: OneOf(['receiving', 'applying', 'done', 'failed']),
  rows: Type.Integer({ minimum: 0 }),
  rows_done: Type.Integer({ minimum: 0 }),
  error: Type.Union([Type.String(), Type.Null()]),
  received: Type.Array(Type.Object({ name: Type.String(), bytes: Type.Integer({ minimum: 0 }) }), {
    description: 'How much of each part is here; the next piece begins there',
  }),
})
export type WorkspaceImport = Static<typeof WorkspaceImport>

const base = { plane: 'control', tag: 'Workspaces' } as const
const reads = { ...base, access: 'read', scope: 'workspace:read', rate: 'controlRead' } as const
const writes = { ...base, access: 'write', scope: 'workspace:write', rate: 'controlWrite' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
const byPart = Type.Object({ id: Type.String({ maxLength: 64 }), part: Type.String({ maxLength: 64 }) })
const offset = Type.Integer({ minimum: 0, maximum: transferLimits.bytesMax })

export const startWorkspaceExport = route({
  ...base,
  access: 'write',
  scope: 'workspace:read',
  rate: 'controlWrite',
  id: 'startWorkspaceExport',
  method: 'POST',
  path: '/v1/workspace/exports',
  summary: 'Begin an export of everything that the workspace holds, at one moment',
  description:
    'Without API keys, members and secrets. One at a time: another one takes the place of the one before. The files ' +
    'lie on the node that was asked.',
  body: Type.Object(
    { format: Type.Integer({ minimum: 1, description: 'The format that the caller understands' }) },
    { additionalProperties: false },
  ),
  success: { status: 202, body: WorkspaceExport },
  audit: { action: 'workspace.exported', details: ['id'] },
  problems: [...accessProblems, 'conflict'],
})

export const getWorkspaceExport = route({
  ...reads,
  id: 'getWorkspaceExport',
  method: 'GET',
  path: '/v1/workspace/exports/:id',
  summary: 'How far an export is, and what it consists of once it is done',
  params: byId,
  success: { status: 200, body: WorkspaceExport },
  problems: lookupProblems,
})

export const readWorkspaceExport = route({
  ...reads,
  id: 'readWorkspaceExport',
  method: 'GET',
  path: '/v1/workspace/exports/:id/parts/:part',
  summary: 'A piece of one part of an export, as NDJSON from an offset in bytes',
  params: byPart,
  query: Type.Object({ offset: Type.Optional(offset) }),
  success: {
    status: 200,
    body: Type.Object({
      text: Type.String({ description: 'Whole lines' }),
      next_offset: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    }),
  },
  problems: [...lookupProblems, 'conflict'],
})

export const startWorkspaceImport = route({
  ...writes,
  id: 'startWorkspaceImport',
  method: 'POST',
  path: '/v1/workspace/imports',
  summary: 'Begin an import into this workspace, which must be empty',
  description:
    'Started again with the same manifest, it continues where it was, or is `applying` already. Sites that ' +
    'nothing ever came to make way.',
  body: Type.Object({ manifest: TransferManifest }, { additionalProperties: false }),
  success: { status: 201, body: WorkspaceImport },
  audit: { action: 'workspace.import_begun', details: ['id'] },
  invalidates: 'reports',
  problems: [...accessProblems, 'conflict', 'unavailable'],
})

export const getWorkspaceImport = route({
  ...reads,
  id: 'getWorkspaceImport',
  method: 'GET',
  path: '/v1/workspace/imports/:id',
  summary: 'How far an import is',
  params: byId,
  success: { status: 200, body: WorkspaceImport },
  problems: lookupProblems,
})

export const sendWorkspaceImport = route({
  ...writes,
  id: 'sendWorkspaceImport',
  method: 'POST',
  path: '/v1/workspace/imports/:id/parts/:part',
  summary: 'Hand over a piece of one part',
  description:
    'Whole lines, from the offset at which the part has come to. A piece that came before is passed over.',
  params: byPart,
  body: Type.Object({ offset, text: Type.String() }, { additionalProperties: false }),
  success: { status: 200, body: Type.Object({ bytes: Type.Integer({ minimum: 0 }) }) },
  problems: [...lookupProblems, 'conflict', 'unavailable'],
})

export const applyWorkspaceImport = route({
  ...writes,
  id: 'applyWorkspaceImport',
  method: 'POST',
  path: '/v1/workspace/imports/:id/apply',
  summary: 'Put what was handed over into place, all or nothing',
  description:
    'Until it is done, every call in this workspace but those that ask for it is answered 503. A server that is ' +
    'killed meanwhile continues it at its next start.',
  params: byId,
  body: Type.Object({}, { additionalProperties: false }),
  success: { status: 202, body: WorkspaceImport },
  audit: { action: 'workspace.import_applied' },
  invalidates: 'reports',
  problems: [...lookupProblems, 'conflict'],
})

export const transferRoutes = [
  startWorkspaceExport,
  getWorkspaceExport,
  readWorkspaceExport,
  startWorkspaceImport,
  getWorkspaceImport,
  sendWorkspaceImport,
  applyWorkspaceImport,
] as const
