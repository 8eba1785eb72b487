import { type Static, Type } from 'typebox'
import { type ConsentChoice, consentChoices, consentRegimes } from '../gate/consent.ts'
import { identifierCharactersMax } from '../identity/identifier.ts'
import { lookupProblems } from '../problems.ts'
import { type ConsentCategory, consentCategories } from '../registry/event-contract.ts'
import { route } from '../route.ts'
import { Dictionary, Nullable, OneOf, PersonReference, paging, SnakePage, Time } from '../shapes.ts'

export const consentLimits = {
  /** Enough for a signed banner text with its choices, but not for an image of it. */
  proofBytesMax: 4_096,
} as const

const Choice = OneOf(consentChoices)
const Regime = Nullable(OneOf(consentRegimes))

/** One member per category; `optional` for input where members may be omitted. */
export const Categories = Type.Unsafe<Record<ConsentCategory, ConsentChoice>>(
  Type.Object(Object.fromEntries(consentCategories.map((category) => [category, Choice])), {
    additionalProperties: false,
  }),
)
const SomeCategories = Type.Unsafe<Partial<Record<ConsentCategory, ConsentChoice>>>(
  Type.Object(Object.fromEntries(consentCategories.map((category) => [category, Type.Optional(Choice)])), {
    additionalProperties: false,
  }),
)

const proofMax = consentLimits.proofBytesMax
const ProofParts = Dictionary(Type.Unknown(), { maxProperties: proofMax })
const Proof = Type.Union([Type.String({ maxLength: proofMax }), ProofParts], {
  description: 'What shows that it was said, such as the text of the banner; 4 KB at most',
})

export const ConsentRecord = Type.Object({
  id: Type.String(),
  person_id: Type.String({ description: 'The original person of the given identifier' }),
  anonymous_id: Nullable(Type.String()),
  regime: Regime,
  categories: Categories,
  stated: Type.Unsafe<Partial<Record<ConsentCategory, ConsentChoice>>>({
    ...SomeCategories,
    description: 'What was said, now or before; the other categories stand as the regime has it',
  }),
  source: Type.String(),
  policy_version: Nullable(Type.String()),
  gpc: Type.Boolean(),
  proof: Nullable(Proof),
  effective_at: Time,
  expires_at: Nullable(Time),
  supersedes: Nullable(Type.String({ description: 'The record that it followed' })),
  recorded_at: Time,
})
export type ConsentRecord = Static<typeof ConsentRecord>

export const CurrentConsent = Type.Object({
  person_id: Type.String(),
  at: Time,
  regime: Regime,
  categories: Categories,
  record: Nullable(ConsentRecord),
  expired: Type.Boolean({ description: 'The latest record has run out, so the regime decides again' }),
})
export type CurrentConsent = Static<typeof CurrentConsent>

const Identifier = Type.String({ minLength: 1, maxLength: identifierCharactersMax })
const Instant = Type.String({ maxLength: 40, description: 'RFC 3339' })

export const recordConsent = route({
  id: 'recordConsent',
  method: 'POST',
  path: '/v1/consent',
  plane: 'data',
  alsoOn: 'control',
  access: 'record',
  scope: 'events:send',
  orScope: 'consent:write',
  rate: 'ingest',
  tag: 'Consent',
  summary: 'Record consent state for a person',
  description:
    'Names the person by one of `person_id`, `user_id` and `anonymous_id`; a public key only by `anonymous_id`. A ' +
    'category that is left out keeps its last state. It acts on the next event. With `supersedes` the record is only ' +
    'taken when that one is still the latest. Also on the control plane, where a person may record it too.',
  body: Type.Object({
    person_id: Type.Optional(Identifier),
    user_id: Type.Optional(Identifier),
    anonymous_id: Type.Optional(Identifier),
    site_id: Type.Optional(Type.String({ maxLength: 64 })),
    regime: Type.Optional(Regime),
    categories: Type.Optional(SomeCategories),
    source: Type.Optional(
      Type.String({ minLength: 1, maxLength: 60, default: 'api', description: 'Such as banner, api, gpc' }),
    ),
    policy_version: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
    gpc: Type.Optional(Type.Boolean()),
    proof: Type.Optional(Proof),
    effective_at: Type.Optional(Instant),
    expires_at: Type.Optional(Nullable(Instant)),
    supersedes: Type.Optional(Type.String({ maxLength: 64 })),
    sent_at: Type.Optional(
      Type.Union([Type.String({ maxLength: 40 }), Type.Number()], {
        description: 'The clock of the sender, by which effective_at is put right',
      }),
    ),
    write_key: Type.Optional(Type.String({ maxLength: 100 })),
    writeKey: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  success: { status: 201, body: ConsentRecord },
  problems: [...lookupProblems, 'conflict'],
})

const reads = {
  plane: 'control',
  access: 'read',
  scope: 'consent:read',
  rate: 'controlRead',
  tag: 'Consent',
} as const
const params = Type.Object({ personId: PersonReference })

export const getConsent = route({
  ...reads,
  id: 'getConsent',
  method: 'GET',
  path: '/v1/consent/:personId',
  summary: 'Read current consent, or that of a moment in the past',
  params,
  query: Type.Object(
    {
      at: Type.Optional(Instant),
      site_id: Type.Optional(
        Type.String({ maxLength: 64, description: 'By whose regime; else by that of the first site' }),
      ),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: CurrentConsent },
  problems: lookupProblems,
})

export const listConsents = route({
  ...reads,
  id: 'listConsents',
  method: 'GET',
  path: '/v1/consent/:personId/history',
  summary: 'All consent records of a person, newest first',
  params,
  query: Type.Object(paging, { additionalProperties: false }),
  success: { status: 200, body: SnakePage(ConsentRecord) },
  problems: lookupProblems,
})

export const consentRoutes = [recordConsent, getConsent, listConsents] as const
