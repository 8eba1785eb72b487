import { type Static, Type } from 'typebox'
import { accessProblems } from '../problems.ts'
import { route } from '../route.ts'
import { exact, Nullable, OneOf, PersonReference, paging, SnakePage, Time } from '../shapes.ts'
import { reads } from './access.ts'
import { confidences } from './identity-limits.ts'
import { PersonId } from './identity-shapes.ts'

export const ledgerTypes = ['link', 'merge', 'reverse', 'keep_apart'] as const
export type LedgerType = (typeof ledgerTypes)[number]

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
    exact,
  ),
  success: { status: 200, body: SnakePage(LedgerEntry) },
  problems: accessProblems,
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
  problems: accessProblems,
})
