import { Type } from 'typebox'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf } from '../shapes.ts'
import { reads, writes } from './access.ts'
import { Key } from './contracts/contract-fields.ts'

const PackSummary = Type.Object({
  key: Type.String(),
  title: Type.String(),
  description: Type.String(),
  events: Type.Array(Type.Object({ key: Key, description: Type.String() })),
})

export const listPacks = route({
  ...reads,
  id: 'listPacks',
  method: 'GET',
  path: '/v1/registry/packs',
  summary: 'List industry seed packs',
  success: { status: 200, body: Type.Object({ data: Type.Array(PackSummary), next_cursor: Type.Null() }) },
  problems: accessProblems,
})

export const installPack = route({
  ...writes,
  id: 'installPack',
  method: 'POST',
  path: '/v1/registry/packs/:key/install',
  summary: 'Install the contracts of a pack',
  description: 'All or none. Keys that exist already are left as they are and listed as skipped.',
  params: Type.Object({ key: Type.String({ maxLength: 100 }) }),
  body: Type.Object(
    {
      dry_run: Type.Optional(Type.Boolean()),
      status: Type.Optional(OneOf(['draft', 'published'] as const, { default: 'published' })),
    },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({
      pack: Type.String(),
      dry_run: Type.Boolean(),
      installed: Type.Array(Type.String()),
      skipped: Type.Array(Type.Object({ key: Type.String(), reason: Type.String() })),
    }),
  },
  audit: { action: 'pack.installed', details: ['status', 'installed'] },
  problems: lookupProblems,
})
