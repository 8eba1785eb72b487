import { type Static, Type } from 'typebox'
import { accessProblems, lookupProblems } from '../../problems.ts'
import { route } from '../../route.ts'
import { OneOf } from '../../shapes.ts'
import { byKey, writes } from '../access.ts'
import { Contract } from './contract.ts'
import { contractFields, Version } from './contract-fields.ts'
import { Replay } from './contract-replay.ts'

const Break = Type.Object({ path: Type.String(), what: Type.String() })
const Held = Type.Object({
  would_pass: Type.Integer({ description: 'Quarantined events that pass under this contract' }),
  released: Type.Integer(),
})

/** Contracts belong to the workspace, quarantined events to a site. */
const heldSite = Type.Optional(
  Type.String({ maxLength: 64, description: 'Count and release only quarantined events of this site' }),
)

/** What is still to be done before a contract is live. */
const Next = Type.Object({
  message: Type.String(),
  method: Type.Literal('POST'),
  path: Type.String(),
})

export const ContractDraft = Type.Object(
  {
    // A `$` is accepted by the schema so that it can be refused with its own reason.
    key: Type.String({ pattern: '^\\$?[a-z0-9_]+$', minLength: 1, maxLength: 100 }),
    version: Type.Optional(Version),
    description: Type.Optional(contractFields.description),
    owner: contractFields.owner,
    category: contractFields.category,
    properties: Type.Optional(contractFields.properties),
    additional: Type.Optional(contractFields.additional),
    surfaces: Type.Optional(contractFields.surfaces),
    purpose: Type.Optional(contractFields.purpose),
    replaced_by: contractFields.replaced_by,
    severities: contractFields.severities,
    status: Type.Optional(OneOf(['draft', 'published'] as const, { default: 'draft' })),
    release: Type.Optional(
      Type.Boolean({ description: 'With status published: release quarantined events that now pass' }),
    ),
    site_id: heldSite,
    dry_run: Type.Optional(Type.Boolean()),
    replay_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30 })),
  },
  { additionalProperties: false },
)
export type ContractDraft = Static<typeof ContractDraft>

export const createContract = route({
  ...writes,
  id: 'createContract',
  method: 'POST',
  path: '/v1/registry/events',
  summary: 'Create an event contract, or a new version of one',
  description:
    'Without a version the next one is chosen by what changed: what breaks makes a major one, any other change of ' +
    'the shape a minor one, texts a patch, and no change none. A member that is left out stays as it is in the ' +
    'version before. An incompatible change under a compatible version number is refused with what breaks. ' +
    'dry_run stores nothing; replay_days judges stored traffic under the draft.',
  body: ContractDraft,
  success: {
    status: 201,
    body: Type.Object({
      ...Contract.properties,
      compatibility: Type.Object(
        { compatible: Type.Boolean(), breaks: Type.Array(Break) },
        { description: 'With the newest version that was published' },
      ),
      unchanged: Type.Boolean({ description: 'It says what is registered already; no version was made' }),
      next: Type.Union([Next, Type.Null()], {
        description: 'For a draft: how to publish it; until then its event is unknown. Null once it is live',
      }),
      dry_run: Type.Boolean(),
      replay: Type.Optional(Replay),
      held: Type.Optional(Held),
    }),
  },
  audit: { action: 'contract.registered', details: ['version', 'status', 'unchanged'] },
  problems: [...accessProblems, 'conflict', 'reserved-name'],
})

export const publishContract = route({
  ...writes,
  id: 'publishContract',
  method: 'POST',
  path: '/v1/registry/events/:key/publish',
  summary: 'Publish a draft version',
  description:
    'Without a version the newest draft. A published version never changes. Answers how many quarantined ' +
    'events now pass; with release they are released.',
  params: byKey,
  body: Type.Object(
    {
      version: Type.Optional(Version),
      release: Type.Optional(Type.Boolean()),
      site_id: heldSite,
      dry_run: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({ ...Contract.properties, dry_run: Type.Boolean(), held: Held }),
  },
  audit: { action: 'contract.published', details: ['version'] },
  problems: [...lookupProblems, 'conflict'],
})
