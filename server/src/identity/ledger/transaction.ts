import type { Clock, NewId } from '../../platform/clock.ts'
import type { Sql } from '../../store/control.ts'
import { digestSubject, type EntryFacts, genesisHash, hashEntry, type Subject } from './ledger.ts'
import { type Head, insertEntries, type LedgerRow, lockHead, updateHead } from './ledger-store.ts'

export type EntryDraft = Subject &
  Pick<EntryFacts, 'type' | 'isExplicit' | 'step' | 'confidence' | 'actor' | 'reverses'>

export type World = {
  now: Clock
  newId: NewId
  /** Of an entry's subject. */
  newSalt: () => string
  /** Called with new entries within their transaction. */
  appended?: EntryListener
}

export type EntryListener = (sql: Sql, workspaceId: string, rows: readonly LedgerRow[]) => Promise<void>

/** Exclusive write access to the ledger of one workspace, until the transaction is over. */
export class LedgerTransaction {
  readonly sql: Sql
  readonly workspaceId: string
  readonly #world: World
  readonly #first: number
  #head: Head

  private constructor(sql: Sql, workspaceId: string, world: World, head: Head) {
    this.sql = sql
    this.workspaceId = workspaceId
    this.#world = world
    this.#head = head
    this.#first = head.seq
  }

  static async begin(sql: Sql, workspaceId: string, world: World): Promise<LedgerTransaction> {
    return new LedgerTransaction(sql, workspaceId, world, await lockHead(sql, workspaceId, genesisHash))
  }

  get seq(): number {
    return this.#head.seq
  }

  get hasWritten(): boolean {
    return this.#head.seq > this.#first
  }

  async append(drafts: readonly EntryDraft[]): Promise<LedgerRow[]> {
    const rows = drafts.map((draft) => {
      const row = sealed(this.#head.begun_in, draft, this.#head, this.#world)
      this.#head = { ...this.#head, seq: row.seq, hash: row.hash }
      return row
    })
    await insertEntries(this.sql, this.workspaceId, rows)
    await this.#world.appended?.(this.sql, this.workspaceId, rows)
    return rows
  }

  async finish(): Promise<void> {
    if (this.hasWritten) await updateHead(this.sql, this.workspaceId, this.#head)
  }
}

/** The entry that would follow the head. */
function sealed(
  workspaceId: string,
  draft: EntryDraft,
  head: Head,
  { now, newId, newSalt }: World,
): LedgerRow {
  const { survivorId, absorbedId, a, b, reason, triggeringEventId, moved } = draft
  const subject: Subject = { survivorId, absorbedId, a, b, reason, triggeringEventId, moved }
  const salt = newSalt()
  const facts: EntryFacts = {
    workspaceId,
    seq: head.seq + 1,
    id: newId('mrg'),
    type: draft.type,
    isExplicit: draft.isExplicit,
    step: draft.step,
    confidence: draft.confidence,
    actor: draft.actor,
    createdMs: now(),
    reverses: draft.reverses,
    subjectDigest: digestSubject(salt, subject),
  }
  return {
    seq: facts.seq,
    id: facts.id,
    type: facts.type,
    is_explicit: facts.isExplicit,
    step: facts.step,
    confidence: facts.confidence,
    actor: facts.actor,
    created_at: new Date(facts.createdMs),
    reverses: facts.reverses,
    reversed_by: null,
    survivor_id: survivorId,
    absorbed_id: absorbedId,
    a,
    b,
    reason,
    triggering_event_id: triggeringEventId,
    moved,
    salt,
    subject_digest: facts.subjectDigest,
    previous_hash: head.hash,
    hash: hashEntry(head.hash, facts),
  }
}
