import { hash } from 'node:crypto'
import type { Confidence, LedgerType, Moved } from '@assay/contract'

/** The people of an entry. Deleted when the person is erased; its salted digest stays in the chain. */
export type Subject = {
  survivorId: string | null
  absorbedId: string | null
  /** Ends of the link, as original ids. */
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

/** Predecessor of the first entry of a ledger. */
export const genesisHash = '0'.repeat(64)

/** The salt is deleted with the subject, so that the people of an erased entry cannot be guessed. */
export function digestSubject(salt: string, subject: Subject): string {
  const { survivorId, absorbedId, a, b, reason, triggeringEventId, moved } = subject
  const amounts = moved && [moved.identifiers, moved.traits, moved.events, moved.outcomes]
  return sha256([salt, survivorId, absorbedId, a, b, reason, triggeringEventId, amounts])
}

/** The hash of an entry covers the previous hash, so no entry can be changed, removed or inserted. */
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

/** Whether an entry is unchanged and follows the previous one. */
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
