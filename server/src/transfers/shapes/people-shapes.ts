import {
  ConsentRecord,
  confidences,
  consentLimits,
  consentRegimes,
  Dictionary,
  forgetModes,
  identifierCharactersMax,
  ingestLimits,
  LedgerEntry,
  ledgerTypes,
  noteLimits,
  privacyLimits,
  subjectRequestStates,
  subjectRequestTypes,
} from '@assay/contract'
import { Type } from 'typebox'
import { readUrl } from '../../destinations/destinations.ts'
import { isOurs, originalIdOf } from '../../identity/graph/identifier.ts'
import type { TextRow } from '../control-store.ts'
import { json, shaped } from '../import/json-check.ts'
import type { Brought } from '../import/named-sets.ts'
import {
  flag,
  id,
  matching,
  nullable,
  oneOf,
  personId,
  plain,
  sha256,
  text,
  time,
  whole,
  workspace,
} from '../import/value-checks.ts'
import { type Flaw, type TableShape, textList } from './table-shape.ts'

const identifierType = '^[a-z][a-z0-9_]{0,39}$'
const seq = whole()
const source = plain(100)
const ledgerId = id('mrg')
const traitKey = text(200, 1)
const traitValue = json(6 * ingestLimits.eventBytesMax)
/** Requests of one workspace that wait: those of all workspaces wait in one line. */
const openRequestsMax = 1_000
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Counts = Dictionary(Count, { maxProperties: 200 })
const Person = Type.String({ pattern: '^per_[0-9a-f]{26}$' })

const Subject = Type.Object(
  {
    person_id: Type.Union([Type.String({ minLength: 1, maxLength: identifierCharactersMax }), Type.Null()]),
    identifiers: Type.Array(
      Type.Object(
        {
          type: Type.String({ pattern: identifierType }),
          value: Type.String({ minLength: 1, maxLength: identifierCharactersMax }),
        },
        { additionalProperties: false },
      ),
      { maxItems: privacyLimits.identifiersMax },
    ),
  },
  { additionalProperties: false },
)

const ForgetState = Type.Object(
  {
    originalIds: Type.Array(Person, { maxItems: 100_000 }),
    salt: Type.String({ pattern: '^[0-9A-Za-z_+/=-]{1,200}$' }),
    steps: Dictionary(Type.Object({ rows: Count, isDone: Type.Boolean() }, { additionalProperties: false })),
  },
  { additionalProperties: false },
)

const RequestResult = Type.Object(
  {
    export: Type.Optional(
      Type.Object(
        {
          expires_at: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,15}Z$' }),
          bytes: Count,
          sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
          counts: Counts,
        },
        { additionalProperties: false },
      ),
    ),
    forget: Type.Optional(
      Type.Object({
        mode: Type.Unsafe({ enum: [...forgetModes] }),
        counts: Counts,
        certificate: Type.String({ maxLength: 100_000 }),
      }),
    ),
  },
  { additionalProperties: false },
)

/** Who people are, what they agreed to, and what they asked for. */
export const peopleShapes: Readonly<Record<string, TableShape>> = {
  identifiers: {
    columns: {
      workspace_id: workspace,
      original_id: personId,
      type: matching(new RegExp(identifierType), 'a type of identifier'),
      value: nullable(plain(identifierCharactersMax, 1)),
      first_seen_at: time,
      source,
      person_id: personId,
      changed_seq: seq,
    },
    row: identifierFlaw,
  },
  person_traits: {
    columns: {
      workspace_id: workspace,
      original_id: personId,
      key: traitKey,
      value: traitValue,
      set_at: time,
      source,
    },
  },
  conditional_traits: {
    columns: {
      workspace_id: workspace,
      original_id: personId,
      key: traitKey,
      told_seq: seq,
      told_with: textList(personId, 1_000),
      value: traitValue,
      set_at: time,
      source,
    },
  },
  person_notes: {
    columns: {
      workspace_id: workspace,
      id: id('note'),
      original_id: personId,
      // The API counts code points, of which one may take two characters here.
      text: text(2 * noteLimits.textCharactersMax, 1),
      author: plain(200),
      created_at: time,
    },
  },
  identity_suppressions: { columns: { workspace_id: workspace, original_id: personId, created_at: time } },
  identity_ledger_heads: {
    rowsMax: 1,
    columns: { workspace_id: workspace, seq, hash: sha256, mapped_seq: seq, begun_in: nullable(workspace) },
  },
  identity_ledger: {
    columns: {
      workspace_id: workspace,
      seq: whole(1),
      id: ledgerId,
      type: oneOf(ledgerTypes),
      is_explicit: flag,
      step: nullable(whole(0, 10)),
      confidence: nullable(oneOf(confidences)),
      actor: plain(200),
      created_at: time,
      reverses: nullable(ledgerId),
      reversed_by: nullable(ledgerId),
      survivor_id: nullable(personId),
      absorbed_id: nullable(personId),
      a: nullable(personId),
      b: nullable(personId),
      reason: nullable(text(2_000)),
      triggering_event_id: nullable(text(identifierCharactersMax)),
      moved: nullable(shaped(LedgerEntry.properties.moved)),
      salt: nullable(plain(200, 1)),
      subject_digest: sha256,
      previous_hash: sha256,
      hash: sha256,
    },
  },
  identity_links: {
    columns: {
      workspace_id: workspace,
      entry_id: ledgerId,
      seq,
      a: personId,
      b: personId,
      entry_type: oneOf(ledgerTypes),
      is_explicit: flag,
      confidence: oneOf(confidences),
      source,
      survivor: nullable(personId),
    },
  },
  identity_apart: { columns: { workspace_id: workspace, entry_id: ledgerId, a: personId, b: personId } },
  consents: {
    columns: {
      workspace_id: workspace,
      id: id('con'),
      subject_id: personId,
      anonymous_id: nullable(plain(identifierCharactersMax, 1)),
      regime: nullable(oneOf(consentRegimes)),
      stated: shaped(ConsentRecord.properties.stated),
      gpc: flag,
      source: text(200, 1),
      policy_version: nullable(text(200)),
      proof: nullable(json(6 * consentLimits.proofBytesMax)),
      effective_at: time,
      expires_at: nullable(time),
      supersedes: nullable(id('con')),
      recorded_at: time,
      recorded_by: plain(200),
    },
  },
  consent_subjects: { columns: { workspace_id: workspace, original_id: personId } },
  subject_requests: {
    open: { values: ['pending', 'in_progress'], rowsMax: openRequestsMax },
    columns: {
      workspace_id: workspace,
      id: id('dsr'),
      type: oneOf(subjectRequestTypes),
      status: oneOf(subjectRequestStates),
      regime: oneOf(consentRegimes),
      subject: shaped(Subject),
      subject_request_id: nullable(text(200, 1)),
      request_digest: plain(200, 1),
      callback_urls: shaped<readonly string[]>(
        Type.Array(Type.String({ maxLength: 2_000, pattern: '^https?://' }), {
          maxItems: privacyLimits.callbackUrlsMax,
        }),
        {
          validate: (urls) => {
            for (const url of urls) readUrl(url)
          },
        },
      ),
      requested_by: plain(200),
      received_at: time,
      due_at: time,
      started_at: nullable(time),
      completed_at: nullable(time),
      step: plain(100),
      rows_done: whole(),
      attempts: whole(0, 1_000),
      error: nullable(text(2_000)),
      result: nullable(shaped(RequestResult)),
      mode: nullable(oneOf(forgetModes)),
      state: nullable(shaped(ForgetState)),
    },
  },
}

/** Its id is derived from its value, so that look-ups, merges and erasures reach the right person. */
function identifierFlaw({ type, value, original_id }: TextRow, { personKey }: Brought): Flaw | null {
  if (value === null || value === undefined || typeof type !== 'string') return null
  const isOwn = type === 'person_id' && isOurs(value) && value === original_id
  if (isOwn || originalIdOf(personKey, { type, value }) === original_id) return null
  return { column: 'original_id', reason: 'must be the id that follows from the identifier' }
}
