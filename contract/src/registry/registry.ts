import { Type } from 'typebox'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf, paging, SnakePage, Time } from '../shapes.ts'
import { byKey, reads, writes } from './access.ts'
import { Contract, contractSources } from './contracts/contract.ts'
import { createContract, publishContract } from './contracts/contract-draft.ts'
import { Key, storable, Version } from './contracts/contract-fields.ts'
import { contractStatuses } from './event-contract.ts'
import { generateCode } from './generated-code.ts'
import { installPack, listPacks } from './packs.ts'
import { validateEvents } from './validation.ts'

export const listContracts = route({
  ...reads,
  id: 'listContracts',
  method: 'GET',
  path: '/v1/registry/events',
  summary: 'List event contracts, standard ones included',
  description: 'By key, each at its live version; at its newest version if none is live.',
  query: Type.Object(
    {
      limit: paging.limit,
      cursor: Type.Optional(
        Type.String({
          maxLength: 100,
          pattern: '^[a-z0-9_]+$',
          description: 'next_cursor of the page before',
        }),
      ),
      status: Type.Optional(
        OneOf(contractStatuses, {
          description: 'draft: keys whose newest version is a draft, at that version',
        }),
      ),
      source: Type.Optional(OneOf(contractSources)),
      q: Type.Optional(
        Type.String({ maxLength: 100, pattern: storable, description: 'Part of key, name or description' }),
      ),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SnakePage(Contract) },
  problems: accessProblems,
})

export const getContract = route({
  ...reads,
  id: 'getContract',
  method: 'GET',
  path: '/v1/registry/events/:key',
  summary: 'Read one contract',
  params: byKey,
  query: Type.Object({ version: Type.Optional(Version) }, { additionalProperties: false }),
  success: {
    status: 200,
    body: Type.Object({
      ...Contract.properties,
      versions: Type.Array(
        Type.Object({
          version: Version,
          status: OneOf(contractStatuses),
          created_at: Type.Union([Time, Type.Null()]),
        }),
        { description: 'The newest 200, newest first' },
      ),
    }),
  },
  problems: lookupProblems,
})

export const deprecateContract = route({
  ...writes,
  id: 'deprecateContract',
  method: 'POST',
  path: '/v1/registry/events/:key/deprecate',
  summary: 'Deprecate a contract: its events are stored with a warning',
  description: 'Affects all live versions. A version published later is not deprecated.',
  params: byKey,
  body: Type.Object({ replaced_by: Type.Optional(Key) }, { additionalProperties: false }),
  success: { status: 200, body: Contract },
  audit: { action: 'contract.deprecated', details: ['replaced_by'] },
  problems: [...lookupProblems, 'conflict'],
})

export const archiveContract = route({
  ...writes,
  id: 'archiveContract',
  method: 'POST',
  path: '/v1/registry/events/:key/archive',
  summary: 'Archive a contract: its events are unknown from then on',
  description: 'All its versions, drafts included. A new version can be made and published later.',
  params: byKey,
  success: { status: 200, body: Contract },
  audit: { action: 'contract.archived' },
  problems: [...lookupProblems, 'conflict'],
})

export const registryRoutes = [
  listContracts,
  createContract,
  getContract,
  publishContract,
  deprecateContract,
  archiveContract,
  validateEvents,
  generateCode,
  listPacks,
  installPack,
] as const
