import { type Static, Type } from 'typebox'
import { consentRegimes } from '../gate/consent.ts'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, exact, Nullable, OneOf, paging, SnakePage, Time } from '../shapes.ts'

export const privacyLimits = {
  identifiersMax: 50,
  callbackUrlsMax: 5,
  /** Seed B: requests run with a service level of 60 seconds. */
  serviceLevelMs: 60_000,
} as const

export const subjectRequestTypes = ['export', 'forget'] as const
export type SubjectRequestType = (typeof subjectRequestTypes)[number]
export const forgetModes = ['erase', 'anonymise'] as const
export type ForgetMode = (typeof forgetModes)[number]
export const subjectRequestStates = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const
export type SubjectRequestState = (typeof subjectRequestStates)[number]

export const SubjectRequest = Type.Object({
  id: Type.String(),
  type: OneOf(subjectRequestTypes),
  status: OneOf(subjectRequestStates),
  regime: OneOf(consentRegimes),
  subject_request_id: Nullable(Type.String()),
  received_at: Time,
  due_at: Time,
  started_at: Nullable(Time),
  completed_at: Nullable(Time),
  sla_met: Nullable(
    Type.Boolean({ description: 'Whether it was done by due_at; null while it is not done' }),
  ),
  progress: Type.Object({
    step: Type.String({ description: 'What is being done' }),
    done: Type.Integer({ description: 'Rows gone through so far' }),
  }),
  attempts: Type.Integer(),
  error: Nullable(Type.String()),
  export: Nullable(
    Type.Object({
      url: Nullable(Type.String({ description: 'Where the archive lies until it expires' })),
      expires_at: Time,
      bytes: Type.Integer(),
      sha256: Type.String(),
      counts: Dictionary(Type.Integer(), { description: 'Rows by file' }),
    }),
  ),
  forget: Nullable(
    Type.Object({
      mode: OneOf(forgetModes),
      counts: Dictionary(Type.Integer(), {
        description: 'Rows by store, as far as it is done',
      }),
      certificate: Nullable(
        Type.String({
          description:
            'What was done, signed (a compact JWS with EdDSA): anyone can verify it with the published keys',
        }),
      ),
    }),
  ),
})
export type SubjectRequest = Static<typeof SubjectRequest>

const person = {
  person_id: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  identifiers: Type.Optional(
    Type.Array(
      Type.Object(
        {
          type: Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }),
          value: Type.String({ minLength: 1, maxLength: 512 }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: privacyLimits.identifiersMax },
    ),
  ),
  regime: OneOf(consentRegimes),
  subject_request_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'The same again answers the same request' }),
  ),
  status_callback_urls: Type.Optional(
    Type.Array(Type.String({ maxLength: 2_000 }), { maxItems: privacyLimits.callbackUrlsMax }),
  ),
}
const writes = {
  plane: 'control',
  access: 'write',
  scope: 'privacy:write',
  rate: 'controlWrite',
  tag: 'Data-subject requests',
} as const
const reads = {
  plane: 'control',
  access: 'read',
  scope: 'privacy:read',
  rate: 'controlRead',
  tag: 'Data-subject requests',
} as const
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })

export const requestExport = route({
  ...writes,
  id: 'requestExport',
  method: 'POST',
  path: '/v1/consent/dsr/export',
  summary: 'Queue a data-export request',
  description:
    'Names the person by `person_id` or by `identifiers`; all stored data of every person they mean becomes one ' +
    'zip of NDJSON files, behind a link that expires. Each change of status is sent to `status_callback_urls`, signed.',
  body: Type.Object(person, exact),
  success: { status: 202, body: SubjectRequest },
  audit: { action: 'dsr.export_requested', details: ['regime', 'subject_request_id'] },
  problems: [...lookupProblems, 'conflict'],
})

export const requestForget = route({
  ...writes,
  id: 'requestForget',
  method: 'POST',
  path: '/v1/consent/dsr/forget',
  summary: 'Queue a forget request',
  description:
    'Names the person by `person_id` or by `identifiers`. `erase` removes from every store the data of everyone ' +
    'whom they mean; `anonymise` leaves their events, counted as before, with nothing that identifies a ' +
    'person. Their identifiers are suppressed from then on, and a signed certificate states what was done.',
  body: Type.Object({ ...person, mode: Type.Optional(OneOf(forgetModes)) }, exact),
  success: { status: 202, body: SubjectRequest },
  audit: { action: 'dsr.forget_requested', details: ['regime', 'mode'] },
  problems: [...lookupProblems, 'conflict'],
})

export const getSubjectRequest = route({
  ...reads,
  id: 'getSubjectRequest',
  method: 'GET',
  path: '/v1/consent/dsr/:id',
  summary: 'How far a request is',
  params: byId,
  success: { status: 200, body: SubjectRequest },
  problems: lookupProblems,
})

export const listSubjectRequests = route({
  ...reads,
  id: 'listSubjectRequests',
  method: 'GET',
  path: '/v1/consent/dsr',
  summary: 'All requests, newest first',
  query: Type.Object({ ...paging, status: Type.Optional(OneOf(subjectRequestStates)) }, exact),
  success: { status: 200, body: SnakePage(SubjectRequest) },
  problems: accessProblems,
})

export const cancelSubjectRequest = route({
  ...writes,
  id: 'cancelSubjectRequest',
  method: 'POST',
  path: '/v1/consent/dsr/:id/cancel',
  summary: 'Withdraw a request that was not begun yet',
  params: byId,
  success: { status: 200, body: SubjectRequest },
  audit: { action: 'dsr.cancelled' },
  problems: [...lookupProblems, 'conflict'],
})

export const downloadExport = route({
  id: 'downloadExport',
  method: 'GET',
  path: '/v1/consent/dsr/:id/download',
  plane: 'control',
  access: 'open',
  rate: 'open',
  tag: 'Data-subject requests',
  summary: 'The archive of an export',
  description: 'The link stands in the request; it holds a signature and expires, so that no key is needed.',
  params: byId,
  query: Type.Object({ expires: Type.Integer(), signature: Type.String({ maxLength: 128 }) }, exact),
  success: { status: 200, body: Type.Unknown({ description: 'A zip' }) },
  problems: ['not-found'],
})

export const listPrivacyKeys = route({
  id: 'listPrivacyKeys',
  method: 'GET',
  path: '/v1/consent/dsr/keys',
  plane: 'control',
  access: 'open',
  rate: 'open',
  tag: 'Data-subject requests',
  summary: 'The public keys by which callbacks and certificates are verified',
  success: {
    status: 200,
    body: Type.Object({
      keys: Type.Array(
        Type.Object({
          kty: OneOf(['OKP']),
          crv: OneOf(['Ed25519']),
          kid: Type.String(),
          x: Type.String(),
          use: OneOf(['sig']),
          webhook_key: Type.String({ description: 'The same key as Standard Webhooks write it' }),
        }),
      ),
    }),
  },
  problems: [],
})

export const privacyRoutes = [
  requestExport,
  requestForget,
  listPrivacyKeys,
  listSubjectRequests,
  getSubjectRequest,
  cancelSubjectRequest,
  downloadExport,
] as const
