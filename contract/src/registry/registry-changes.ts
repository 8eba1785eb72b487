import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf } from '../shapes.ts'
import { Contract } from './contracts/contract.ts'
import { ContractDraft } from './contracts/contract-draft.ts'
import { contractStatuses } from './event-contract.ts'

/** Twice what the largest pack installs; a larger registry is pushed in parts. */
export const registryChangesMax = 200

const Version = Contract.properties.version
const Expected = Type.Union([Version, Type.Null()], {
  description: 'The newest version that the caller has seen; null for a key that is new, or was archived',
})
const {
  dry_run: _dryRun,
  release: _release,
  replay_days: _days,
  version: _version,
  ...whole
} = ContractDraft.properties

/**
 * The complete contract after the change: an omitted member gets its default, regardless of its previous
 * value.
 */
export const ContractChange = Type.Object(
  { ...whole, expected_version: Expected },
  { additionalProperties: false },
)
export type ContractChange = Static<typeof ContractChange>

export const ContractEnd = Type.Object(
  {
    key: Contract.properties.key,
    expected_version: Version,
    status: OneOf(['deprecated', 'archived'] as const),
    replaced_by: ContractDraft.properties.replaced_by,
  },
  { additionalProperties: false },
)
export type ContractEnd = Static<typeof ContractEnd>

const changeKinds = ['new', 'breaking', 'shape', 'texts', 'status', 'none'] as const

export const ContractChangeResult = Type.Object({
  key: Contract.properties.key,
  change: OneOf(changeKinds, { description: 'How far it goes; status where only the status changes' }),
  version_before: Type.Union([Version, Type.Null()]),
  version: Version,
  status: OneOf(contractStatuses),
  breaks: Type.Array(Type.Object({ path: Type.String(), what: Type.String() }), {
    description: 'What senders of the newest published version would notice',
  }),
})
export type ContractChangeResult = Static<typeof ContractChangeResult>

export const changeContracts = route({
  id: 'changeContracts',
  method: 'POST',
  path: '/v1/registry/changes',
  plane: 'control',
  tag: 'Registry',
  access: 'write',
  scope: 'registry:write',
  rate: 'controlWrite',
  summary: 'Change several contracts at once: all of it, or nothing',
  description:
    'Each contract is given whole, with the version that the caller began from. If any of them has a newer one by ' +
    'now, the answer is conflict, `conflicts` names them all, and nothing is changed. Versions are numbered as by ' +
    'POST /v1/registry/events. dry_run answers what would happen and changes nothing.',
  body: Type.Object(
    {
      contracts: Type.Optional(Type.Array(ContractChange, { maxItems: registryChangesMax })),
      end: Type.Optional(Type.Array(ContractEnd, { maxItems: registryChangesMax })),
      dry_run: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({
      dry_run: Type.Boolean(),
      changed: Type.Array(Type.String(), { description: 'Keys' }),
      results: Type.Array(ContractChangeResult),
    }),
  },
  audit: { action: 'registry.changed', details: ['changed'] },
  problems: [...lookupProblems, 'conflict', 'reserved-name'],
})

export const registryChangeRoutes = [changeContracts] as const
