import {
  type Input,
  type LedgerEntry,
  type listLedger,
  type Output,
  Problem,
  type verifyLedger,
} from '@assay/contract'
import { pageDefault, pageOf } from '../../platform/page.ts'
import type { Sql } from '../../store/control.ts'
import type { People } from '../people.ts'
import { findPerson } from '../profiles/person.ts'
import { genesisHash, isIntact, type SealedEntry } from './ledger.ts'
import { type LedgerRow, selectEntriesAfter, selectHead, selectNewestEntries } from './ledger-store.ts'

export function toLedgerEntry(row: LedgerRow): LedgerEntry {
  return {
    id: row.id,
    seq: row.seq,
    type: row.type,
    survivor_id: row.survivor_id,
    absorbed_id: row.absorbed_id,
    link: row.a === null || row.b === null ? null : [row.a, row.b],
    reason: row.reason,
    step: row.step,
    confidence: row.confidence,
    triggering_event_id: row.triggering_event_id,
    actor: row.actor,
    moved: row.moved,
    created_at: row.created_at.toISOString(),
    reverses: row.reverses,
    reversed_by: row.reversed_by,
    previous_hash: row.previous_hash,
    hash: row.hash,
    erased: row.salt === null,
  }
}

/** Newest first; of one person, everything that any of their identifiers took part in. */
export async function readLedger(
  people: People,
  workspaceId: string,
  query: Input<typeof listLedger>['query'],
): Promise<Output<typeof listLedger>> {
  const limit = query.limit ?? pageDefault
  const person = query.person_id === undefined ? null : await findPerson(people, workspaceId, query.person_id)
  const ends = query.person_id === undefined ? null : (person?.originalIds ?? [])
  const rows = await selectNewestEntries(people.control, {
    workspaceId,
    beforeSeq: readCursor(query.cursor),
    type: query.type ?? null,
    ends,
    rows: limit + 1,
  })
  const { page, next } = pageOf(rows, limit, ({ seq }) => String(seq))
  return {
    data: page.map(toLedgerEntry),
    next_cursor: next,
  }
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw new Problem('invalid-parameter', {
    detail: 'cursor must be the next_cursor of the page before.',
    errors: [{ field: 'cursor', message: 'must be the next_cursor of the page before' }],
  })
}

/** Rows checked at a time. */
const pageRows = 1_000

/** Recomputes the chain from its beginning, up to the head at the time of the call. */
export async function checkLedger(sql: Sql, workspaceId: string): Promise<Output<typeof verifyLedger>> {
  const head = (await selectHead(sql, workspaceId)) ?? {
    seq: 0,
    hash: genesisHash,
    begun_in: workspaceId,
  }
  let seq = 0
  let hash = genesisHash
  let erased = 0
  while (seq < head.seq) {
    const rows = await selectEntriesAfter(sql, workspaceId, seq, Math.min(pageRows, head.seq - seq))
    if (rows.length === 0) return answer(seq + 1)
    for (const row of rows) {
      if (!isIntact(toSealed(head.begun_in, row), seq, hash)) return answer(seq + 1)
      seq = row.seq
      hash = row.hash
      if (row.salt === null) erased += 1
    }
  }
  return answer(hash === head.hash ? null : head.seq)

  function answer(brokenAt: number | null): Output<typeof verifyLedger> {
    return { valid: brokenAt === null, entries: head.seq, erased, head_hash: head.hash, broken_at: brokenAt }
  }
}

export function toSealed(workspaceId: string, row: LedgerRow): SealedEntry {
  return {
    workspaceId,
    seq: row.seq,
    id: row.id,
    type: row.type,
    isExplicit: row.is_explicit,
    step: row.step,
    confidence: row.confidence,
    actor: row.actor,
    createdMs: row.created_at.getTime(),
    reverses: row.reverses,
    subjectDigest: row.subject_digest,
    previousHash: row.previous_hash,
    hash: row.hash,
    salt: row.salt,
    subject: {
      survivorId: row.survivor_id,
      absorbedId: row.absorbed_id,
      a: row.a,
      b: row.b,
      reason: row.reason,
      triggeringEventId: row.triggering_event_id,
      moved: row.moved,
    },
  }
}
