import { type Static, Type } from 'typebox'
import { environments } from '../credentials.ts'
import { Issue, ingestLimits } from '../ingest/ingest.ts'
import { contractPropertiesMax, enumValueCharactersMax, severitiesMax } from '../maxima.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, paging, SnakePage, Time } from '../shapes.ts'
import {
  consentCategories,
  contractStatuses,
  outcomes,
  type PropertyRule,
  propertyTypes,
  surfaces,
} from './event-contract.ts'

/** One property of a contract. Nested rules have the same shape; the registry checks them to any depth. */
export const PropertyRuleShape = Type.Object(
  {
    type: OneOf(propertyTypes),
    required: Type.Optional(Type.Boolean()),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    enum: Type.Optional(
      Type.Unsafe<readonly (string | number | boolean)[]>(
        Type.Array(
          Type.Union([Type.String({ maxLength: enumValueCharactersMax }), Type.Number(), Type.Boolean()]),
          { maxItems: 500 },
        ),
      ),
    ),
    pattern: Type.Optional(Type.String({ maxLength: 500 })),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    items: Type.Optional(Type.Unknown({ description: 'A property rule for the elements' })),
    properties: Type.Optional(
      Dictionary(Type.Unknown({ description: 'A property rule' }), {
        maxProperties: contractPropertiesMax,
      }),
    ),
    pii: Type.Optional(OneOf(['allow', 'deny'])),
    deprecated: Type.Optional(Type.Boolean()),
    format: Type.Optional(OneOf(['currency'])),
  },
  { additionalProperties: false },
)

const Key = Type.String({ pattern: '^[a-z0-9_]+$', minLength: 1, maxLength: 100 })
const Version = Type.String({
  pattern: '^[0-9]{1,5}-[0-9]{1,5}-[0-9]{1,5}$',
  description: 'major-minor-patch',
})

/** Any text that the control store can store: Postgres cannot store the character NUL. */
const storable = '^[^\\u0000]*$'

const Properties = Dictionary(PropertyRuleShape, {
  maxProperties: contractPropertiesMax,
})

const contractFields = {
  description: Type.String({ maxLength: 2000, pattern: storable }),
  owner: Type.Optional(Type.String({ maxLength: 200 })),
  category: Type.Optional(Type.String({ maxLength: 100 })),
  properties: Properties,
  additional: OneOf(['accept', 'warn', 'quarantine'] as const),
  surfaces: Type.Array(OneOf(surfaces), { uniqueItems: true, maxItems: surfaces.length }),
  purpose: OneOf(consentCategories),
  replaced_by: Type.Optional(Key),
  severities: Type.Optional(Dictionary(OneOf(outcomes), { maxProperties: severitiesMax })),
}

export const contractSources = ['standard', 'built_in', 'custom'] as const

export const Contract = Type.Object({
  key: Key,
  name: Type.String({ description: 'The name on the wire' }),
  version: Version,
  status: OneOf(contractStatuses),
  source: OneOf(contractSources),
  ...contractFields,
  // Outgoing values were checked to any depth when they came in.
  properties: Type.Unsafe<Readonly<Record<string, PropertyRule>>>(Properties),
  created_at: Type.Union([Time, Type.Null()]),
  published_at: Type.Union([Time, Type.Null()]),
})
export type Contract = Static<typeof Contract>

/** How much stored traffic one replay validates: the newest stored and quarantined events each. */
export const replayEventsMax = 50_000

/** Result of validating stored traffic with a draft. */
export const Replay = Type.Object({
  days: Type.Integer(),
  found: Type.Integer({ description: 'Events of this name in these days, stored or quarantined' }),
  events: Type.Integer({
    description: `How many of them were judged: the newest ${replayEventsMax} stored and as many quarantined ones`,
  }),
  outcomes: Type.Object({
    accept: Type.Integer(),
    warn: Type.Integer(),
    quarantine: Type.Integer(),
    reject: Type.Integer(),
  }),
  codes: Dictionary(Type.Integer(), { description: 'Events by issue' }),
  samples: Type.Array(
    Type.Object({ event_id: Type.String(), outcome: OneOf(outcomes), issues: Type.Array(Issue) }),
    { description: 'At most 20 that were not simply accepted' },
  ),
})
export type Replay = Static<typeof Replay>

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

const byKey = Type.Object({ key: Key })
const readProblems = ['unauthenticated', 'insufficient-scope'] as const
const base = { plane: 'control', tag: 'Registry' } as const
const reads = { ...base, access: 'read', scope: 'registry:read', rate: 'controlRead' } as const
const writes = { ...base, access: 'write', scope: 'registry:write', rate: 'controlWrite' } as const

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
  problems: readProblems,
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
  problems: [...readProblems, 'conflict', 'reserved-name'],
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
  problems: [...readProblems, 'not-found'],
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
  problems: [...readProblems, 'not-found', 'conflict'],
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
  problems: [...readProblems, 'not-found', 'conflict'],
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
  problems: [...readProblems, 'not-found', 'conflict'],
})

export const ValidationResult = Type.Object({
  index: Type.Integer(),
  outcome: OneOf(outcomes),
  name: Type.String(),
  contract_version: Type.Union([Type.String(), Type.Null()]),
  issues: Type.Array(Issue),
  properties: Type.Unknown({ description: 'As they would be stored' }),
})

export const validateEvents = route({
  ...reads,
  id: 'validateEvents',
  method: 'POST',
  holdsEvents: true,
  path: '/v1/registry/validate',
  summary: 'Judge one event or a batch; nothing is stored',
  description:
    'As a secret key would be judged. Send {event: {…}}, {batch: [{…}]}, or the event itself as the body.',
  body: Type.Object(
    {
      event: Type.Optional(
        Type.Unknown({
          description: 'One event, as /v1/track takes it; or its name, when the body is the event',
        }),
      ),
      batch: Type.Optional(Type.Array(Type.Unknown(), { maxItems: ingestLimits.batchEventsMax })),
      site_id: Type.Optional(Type.String({ maxLength: 64 })),
    },
    { additionalProperties: true },
  ),
  success: {
    status: 200,
    body: Type.Object({
      outcome: OneOf(outcomes, { description: 'The worst of all' }),
      results: Type.Array(ValidationResult),
    }),
  },
  problems: [...readProblems, 'not-found'],
})

export const generateCode = route({
  ...reads,
  id: 'generateCode',
  method: 'GET',
  path: '/v1/registry/code-gen',
  summary: 'Typed bindings for an environment',
  description:
    'Deterministic: standard events and the live contracts; for staging and development also drafts, marked as ' +
    'such, in place of the version that they are to follow. surface leaves out events that are not sent from there. ' +
    'The ETag changes when a file would; If-None-Match answers 304. With key only that event, at its newest version, ' +
    'drafts included.',
  query: Type.Object(
    {
      language: OneOf(['typescript', 'python', 'swift'] as const),
      environment: Type.Optional(OneOf(environments, { default: 'production' })),
      surface: Type.Optional(OneOf(surfaces)),
      key: Type.Optional(Key),
    },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({
      registry_hash: Type.String(),
      files: Type.Array(Type.Object({ path: Type.String(), content: Type.String(), sha256: Type.String() })),
    }),
  },
  problems: [...readProblems, 'not-found'],
})

export const PackSummary = Type.Object({
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
  problems: readProblems,
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
  problems: [...readProblems, 'not-found'],
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
