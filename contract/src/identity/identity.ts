import { type Static, Type } from 'typebox'
import { consentRegimes } from '../gate/consent.ts'
import { Issue } from '../ingest/ingest.ts'
import { eventPropertiesMax, siteIdCharactersMax } from '../maxima.ts'
import { Categories } from '../privacy/consent.ts'
import { outcomes } from '../registry/event-contract.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, PersonReference, paging, SnakePage, Time } from '../shapes.ts'
import { identifierCharactersMax } from './identifier.ts'

/** Limits of one person, from the decisions: beyond them the answer is 409 identity-limit. */
export const identityLimits = {
  identifiersMax: 1_000,
  mergesMax: 100,
  /** Per identifier. */
  traitsMax: 1_000,
  valueCharactersMax: identifierCharactersMax,
  identifiersPerCallMax: 50,
} as const

export const confidences = ['certain', 'likely', 'possible'] as const
export type Confidence = (typeof confidences)[number]
export const ledgerTypes = ['link', 'merge', 'reverse', 'keep_apart'] as const
export type LedgerType = (typeof ledgerTypes)[number]

const Nullable = <Shape extends Parameters<typeof Type.Union>[0][number]>(shape: Shape) =>
  Type.Union([shape, Type.Null()])
const PersonId = Type.String({ maxLength: 64 })
const Reason = Type.String({ minLength: 1, maxLength: 500 })

const Identifier = Type.Object(
  {
    type: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,39}$',
      description:
        'person_id, user_id, email, phone, anonymous_id, device_id, or the name of a vendor’s id such as ' +
        'stripe_customer_id',
    }),
    value: Type.String({ maxLength: 1_000 }),
    verified: Type.Optional(
      Type.Boolean({ description: 'Of an email address or a phone number; true when left out' }),
    ),
  },
  { additionalProperties: false },
)

const NamedIdentifier = Type.Object({ type: Type.String(), value: Type.String() })

/** What a merge or its reversal moves from one person to another. */
const Moved = Type.Object({
  identifiers: Type.Integer(),
  traits: Type.Integer(),
  events: Nullable(Type.Integer({ description: 'Counted for merges and reversals that were asked for' })),
  outcomes: Nullable(Type.Integer({ description: 'Those of them that are conversions' })),
})
export type Moved = Static<typeof Moved>

export const LedgerEntry = Type.Object({
  id: Type.String(),
  seq: Type.Integer({ description: 'Without gaps from 1 on, a workspace' }),
  type: OneOf(ledgerTypes),
  survivor_id: Nullable(PersonId),
  absorbed_id: Nullable(PersonId),
  link: Nullable(Type.Array(PersonId, { description: 'The original ids of the two people of the entry' })),
  reason: Nullable(Type.String()),
  step: Nullable(Type.Integer({ description: 'Of the seven steps of resolve; null when asked for' })),
  confidence: Nullable(OneOf(confidences)),
  triggering_event_id: Nullable(Type.String()),
  actor: Type.String({ description: 'The key that asked, or ingest' }),
  moved: Nullable(Moved),
  created_at: Time,
  reverses: Nullable(Type.String()),
  reversed_by: Nullable(Type.String()),
  previous_hash: Type.String(),
  hash: Type.String(),
  erased: Type.Boolean({ description: 'Whom it was about is forgotten; the chain still holds' }),
})
export type LedgerEntry = Static<typeof LedgerEntry>

const problems = ['unauthenticated', 'insufficient-scope'] as const
const control = { plane: 'control', tag: 'Identity' } as const
const reads = { ...control, access: 'read', scope: 'identity:read', rate: 'controlRead' } as const
const writes = { ...control, access: 'write', scope: 'identity:write', rate: 'controlWrite' } as const
const strict = { additionalProperties: false } as const

export const resolveIdentity = route({
  ...reads,
  id: 'resolveIdentity',
  method: 'POST',
  path: '/v1/identity/resolve',
  summary: 'Resolve a set of identifiers to a person',
  description:
    'Seven steps: normalise; refuse junk and suppressed values; exact person_id or user_id; verified contact; ' +
    'vendor id; device link; create, or refuse on a conflict. What is given together is linked from then on. ' +
    'With read_only nothing is changed; without it the key needs identity:write.',
  body: Type.Object(
    {
      identifiers: Type.Array(Identifier, { minItems: 1, maxItems: identityLimits.identifiersPerCallMax }),
      read_only: Type.Optional(Type.Boolean()),
    },
    strict,
  ),
  success: {
    status: 200,
    body: Type.Object({
      person_id: Nullable(PersonId),
      step: Type.Integer({ minimum: 1, maximum: 7, description: 'Where the person was found; 7 is new' }),
      confidence: Nullable(OneOf(confidences)),
      matched: Type.Array(
        Type.Object({ ...NamedIdentifier.properties, person_id: PersonId, step: Type.Integer() }),
      ),
      rejected: Type.Array(Type.Object({ ...NamedIdentifier.properties, reason: Type.String() })),
      would_merge: Type.Array(PersonId, {
        description: 'People who become part of this one; done already unless read_only',
      }),
    }),
  },
  problems: [...problems, 'identity-conflict', 'identity-limit'],
})

export const Person = Type.Object({
  person_id: PersonId,
  requested_id: Type.String({ description: 'As asked for; another one when that person was merged' }),
  merged_ids: Type.Array(PersonId, { description: 'Other original ids of this person' }),
  identifiers: Type.Array(
    Type.Object({
      ...NamedIdentifier.properties,
      person_id: Type.String({ description: 'Original person of this identifier' }),
      confidence: OneOf(confidences),
      source: Type.String({
        description: 'What tied it to the person: event, identify, alias, resolve, merge',
      }),
      first_seen_at: Time,
    }),
  ),
  traits: Dictionary(Type.Unknown()),
  trait_sources: Dictionary(Type.Object({ person_id: PersonId, source: Type.String(), set_at: Time })),
  first_seen_at: Nullable(Time),
  last_seen_at: Nullable(Time),
  events: Type.Integer(),
  site_ids: Type.Array(Type.String(), { description: 'Sites with events of this person' }),
  consent: Type.Object(
    {
      record: Nullable(
        Type.Object({
          id: Type.String(),
          source: Type.String(),
          regime: Nullable(OneOf(consentRegimes)),
          gpc: Type.Boolean(),
          effective_at: Time,
          expires_at: Nullable(Time),
        }),
      ),
      regimes: Type.Object({ gdpr: Categories, kvkk: Categories, ccpa: Categories }),
    },
    {
      description: 'The effective consent by the latest record, or else by the regime of the requesting site',
    },
  ),
})
export type Person = Static<typeof Person>

const personParams = Type.Object({ id: PersonReference })

export const getPerson = route({
  ...reads,
  id: 'getPerson',
  method: 'GET',
  path: '/v1/identity/person/:id',
  summary: 'Read a person',
  description: 'An id that was merged answers the person that it is part of now.',
  params: personParams,
  success: { status: 200, body: Person },
  problems: [...problems, 'not-found'],
})

export const TimelineEvent = Type.Object({
  event_id: Type.String(),
  site_id: Type.String(),
  ts: Time,
  received_at: Time,
  name: Type.String(),
  sent_name: Type.String(),
  verdict: Type.Object({ outcome: Type.String(), issues: Type.Array(Issue) }),
  source: Type.Object({
    endpoint: Type.String(),
    surface: Type.String(),
    sdk: Type.String(),
    channel: Type.String(),
    referrer: Type.String(),
  }),
  identified_by: Type.Object({
    person_id: PersonId,
    user_id: Nullable(Type.String()),
    anonymous_id: Nullable(Type.String()),
  }),
  session_id: Type.String(),
  url: Type.String(),
  title: Type.String(),
  counted: Type.Boolean(),
  amount: Nullable(Type.Number({ description: 'Of a purchase and the like' })),
  currency: Nullable(Type.String()),
  properties: Type.Unknown(),
})
export type TimelineEvent = Static<typeof TimelineEvent>

export const getTimeline = route({
  ...reads,
  id: 'getTimeline',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/identity/person/:id/timeline',
  summary: 'What a person did, newest first, over all identifiers',
  params: personParams,
  query: Type.Object(
    {
      ...paging,
      from: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339' })),
      to: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339; not included' })),
      event: Type.Optional(Type.String({ maxLength: 200 })),
    },
    strict,
  ),
  success: { status: 200, body: SnakePage(TimelineEvent) },
  problems: [...problems, 'not-found'],
})

const Merged = Type.Object({
  ...LedgerEntry.properties,
  id: Nullable(LedgerEntry.properties.id),
  dry_run: Type.Boolean(),
})

export const mergePeople = route({
  ...writes,
  id: 'mergePeople',
  method: 'POST',
  path: '/v1/identity/merge',
  summary: 'Merge two people on purpose',
  description:
    'The only way by which two different user ids become one person. From then on the person goes by the id that ' +
    'the one called survivor_id has now; after a reversal each has their own again. dry_run answers 200 and what ' +
    'would move.',
  body: Type.Object(
    {
      survivor_id: PersonReference,
      absorbed_id: PersonReference,
      reason: Reason,
      dry_run: Type.Optional(Type.Boolean()),
    },
    strict,
  ),
  audit: { action: 'person.merged' },
  invalidates: 'reports',
  success: { status: 201, body: Merged },
  otherSuccess: { status: 200, body: Merged },
  problems: [...problems, 'not-found', 'conflict', 'identity-limit'],
})

export const listLedger = route({
  ...reads,
  id: 'listLedger',
  method: 'GET',
  path: '/v1/identity/merge-ledger',
  summary: 'Read the append-only merge ledger, newest first',
  query: Type.Object(
    {
      ...paging,
      type: Type.Optional(OneOf(ledgerTypes)),
      person_id: Type.Optional(PersonReference),
    },
    strict,
  ),
  success: { status: 200, body: SnakePage(LedgerEntry) },
  problems,
})

export const verifyLedger = route({
  ...reads,
  id: 'verifyLedger',
  method: 'GET',
  path: '/v1/identity/merge-ledger/verify',
  summary: 'Recompute the hash chain of the ledger',
  success: {
    status: 200,
    body: Type.Object({
      valid: Type.Boolean(),
      entries: Type.Integer(),
      erased: Type.Integer(),
      head_hash: Type.String(),
      broken_at: Nullable(Type.Integer({ description: 'The first entry that is not as it was written' })),
    }),
  },
  problems,
})

const Parted = Type.Object({
  ...Merged.properties,
  person_ids: Type.Array(PersonId, { description: 'The people after it' }),
  reversed: Type.Array(Type.String(), { description: 'All entries that are reversed, the latest first' }),
  still_joined_by: Type.Array(Type.String(), {
    description: 'Entries that make one person of both all the same',
  }),
})

export const reverseMerge = route({
  ...writes,
  id: 'reverseMerge',
  method: 'POST',
  path: '/v1/identity/merge-ledger/:id/reverse',
  summary: 'Reverse an entry of the ledger',
  description:
    'Afterwards every read is as if it had never been, and unless keep_apart is false the next event that the two ' +
    'share does not join them again. Merges that were built on it are listed in a 409, or reversed too with cascade. ' +
    'dry_run answers 200.',
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  body: Type.Object(
    {
      reason: Reason,
      keep_apart: Type.Optional(Type.Boolean({ default: true })),
      cascade: Type.Optional(Type.Boolean()),
      dry_run: Type.Optional(Type.Boolean()),
    },
    strict,
  ),
  audit: { action: 'person.parted', details: ['keep_apart', 'cascade'] },
  invalidates: 'reports',
  success: { status: 201, body: Parted },
  otherSuccess: { status: 200, body: Parted },
  problems: [...problems, 'not-found', 'conflict'],
})

const Binding = Type.Object({
  person_id: PersonId,
  merged: Type.Boolean({ description: 'Two people became one' }),
  confidence: OneOf(confidences),
  ledger_entry_id: Type.Optional(Type.String()),
})
/** The effect of an identify or alias call on people. */
export type Binding = Static<typeof Binding>

const Bound = Type.Object({
  ...Binding.properties,
  event_id: Type.String(),
  outcome: OneOf(outcomes, {
    description: 'The verdict of the gate. Quarantined: nothing is bound until the event is released',
  }),
  duplicate: Type.Boolean({ description: 'The event_id was known, so nothing was bound again' }),
  issues: Type.Array(Issue),
})
export type Bound = Static<typeof Bound>

const sends = {
  plane: 'data',
  access: 'send',
  scope: 'events:send',
  rate: 'ingest',
  tag: 'Ingest',
  rawBody: true,
} as const
const bindProblems = [
  ...problems,
  'not-found',
  'identity-conflict',
  'identity-limit',
  'contract-violation',
] as const

const envelope = {
  event_id: Type.Optional(Type.String({ description: 'The same when you try again: it counts once' })),
  ts: Type.Optional(Type.Unknown({ description: 'When it was said' })),
  context: Type.Optional(Dictionary(Type.Unknown())),
  site_id: Type.Optional(Type.String({ maxLength: siteIdCharactersMax })),
}

const PlainIdentifier = Type.String({ maxLength: identifierCharactersMax })

export const identify = route({
  ...sends,
  id: 'identify',
  method: 'POST',
  path: '/v1/identify',
  summary: 'Bind an anonymous id to a person, and say what is known of them',
  description:
    'Takes `anonymous_id`, `user_id` or `person_id`, and `traits`; also the spellings of Segment-style SDKs. A link ' +
    'made with a public key is at most likely. The call is a `$identify` event: it passes the gate as in a batch and ' +
    'is stored. What the gate refuses is 422, with nothing stored. Where the identifiers belong to different people ' +
    'the answer is 409: the event is stored, and no one is identified.',
  body: Type.Object({
    anonymous_id: Type.Optional(PlainIdentifier),
    user_id: Type.Optional(PlainIdentifier),
    person_id: Type.Optional(PlainIdentifier),
    traits: Type.Optional(Dictionary(Type.Unknown(), { maxProperties: eventPropertiesMax })),
    ...envelope,
  }),
  success: { status: 200, body: Bound },
  problems: bindProblems,
})

export const alias = route({
  ...sends,
  id: 'alias',
  method: 'POST',
  path: '/v1/alias',
  summary: 'Merge two identities',
  description:
    'Takes `from` (or `previous_id`) and `to` (or `user_id`). A plain `from` is a person id, a user id that is ' +
    'known, or else an anonymous id; a plain `to` is a person id or a user id. Both may be `{type, value}` instead. ' +
    'It passes the gate as a `$identify` event would, and leaves a ledger entry instead of one; what a gate would ' +
    'quarantine is refused, since there is no event to hold.',
  body: Type.Object({
    from: Type.Optional(Type.Unknown()),
    to: Type.Optional(Type.Unknown()),
    previous_id: Type.Optional(Type.Unknown()),
    user_id: Type.Optional(Type.Unknown()),
    ...envelope,
  }),
  success: { status: 200, body: Bound },
  problems: bindProblems,
})

export const identityRoutes = [
  resolveIdentity,
  getPerson,
  getTimeline,
  mergePeople,
  listLedger,
  verifyLedger,
  reverseMerge,
  identify,
  alias,
] as const
