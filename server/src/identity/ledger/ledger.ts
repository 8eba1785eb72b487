import { hash } from 'node:crypto'
import type { Confidence, LedgerType, Moved } from '@assay/contract'

/** Whom an entry is about. It goes when the person is forgotten; its salted digest stays in the chain. */
export type Subject = {
  survivorId: string | null
  absorbedId: string | null
  /** Ends of the link, as born. */
  a: string | null
  b: string | null
  reason: string | null
  triggeringEventId: string | null
  moved: Moved | null
}

export type EntryFacts = {
  workspaceId: string
  seq: number
  id: string
  type: LedgerType
  isExplicit: boolean
  step: number | null
  confidence: Confidence | null
  actor: string
  createdMs: number
  reverses: string | null
  subjectDigest: string
}

/** What the first entry of a ledger follows. */
export const genesisHash = '0'.repeat(64)

/** The salt goes with the subject, so that nobody can find out by trying whom an erased entry was about. */
export function digestSubject(salt: string, subject: Subject): string {
  const { survivorId, absorbedId, a, b, reason, triggeringEventId, moved } = subject
  const amounts = moved && [moved.identifiers, moved.traits, moved.events, moved.outcomes]
  return sha256([salt, survivorId, absorbedId, a, b, reason, triggeringEventId, amounts])
}

/** The hash of an entry covers the hash of the one before, so no entry can be changed, left out or put in between. */
export function hashEntry(previousHash: string, facts: EntryFacts): string {
  const { workspaceId, seq, id, type, isExplicit, step, confidence, actor } = facts
  const { createdMs, reverses, subjectDigest } = facts
  return sha256([
    previousHash,
    workspaceId,
    seq,
    id,
    type,
    isExplicit,
    step,
    confidence,
    actor,
    createdMs,
    reverses,
    subjectDigest,
  ])
}

function sha256(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex')
}

export type SealedEntry = EntryFacts & {
  previousHash: string
  hash: string
  /** Null once the subject is erased. */
  salt: string | null
  subject: Subject
}

/** Whether an entry is as it was written and follows the one before. */
export function isIntact(entry: SealedEntry, previousSeq: number, previousHash: string): boolean {
  const isSubjectIntact =
    entry.salt === null || digestSubject(entry.salt, entry.subject) === entry.subjectDigest
  return (
    entry.seq === previousSeq + 1 &&
    entry.previousHash === previousHash &&
    hashEntry(previousHash, entry) === entry.hash &&
    isSubjectIntact
  )
}
