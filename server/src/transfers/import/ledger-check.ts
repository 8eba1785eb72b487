import { toSealed } from '../../identity/ledger/entries.ts'
import { genesisHash, isIntact } from '../../identity/ledger/ledger.ts'
import type { TextRow } from '../control-store.ts'
import type { Flaw } from '../shapes/table-shape.ts'
import { readPostgresTime } from './value-checks.ts'

export type LedgerCheck = {
  head: (row: TextRow) => void
  entry: (row: TextRow) => Flaw | null
  end: () => Flaw | null
}

/** Goes along the chain as it comes in: no entry was changed, left out or put in between, and the head is its end. */
export function createLedgerCheck(cameFrom: string): LedgerCheck {
  let head = { seq: 0, hash: genesisHash }
  let begunIn = cameFrom
  let seq = 0
  let hash = genesisHash
  return {
    head(row) {
      head = { seq: Number(row.seq), hash: String(row.hash) }
      begunIn = row.begun_in ?? cameFrom
    },
    entry(row) {
      const entry = entryOf(row)
      if (!isIntact(toSealed(begunIn, entry), seq, hash)) {
        return { column: 'hash', reason: 'does not follow from the entry and the one before it' }
      }
      seq = entry.seq
      hash = entry.hash
      return null
    },
    end() {
      const isEnd = head.seq === seq && head.hash === hash
      return isEnd ? null : { column: 'hash', reason: 'is not that of the last entry of identity_ledger' }
    },
  }
}

function entryOf(row: TextRow): Parameters<typeof toSealed>[1] {
  const given = (column: string) => row[column] ?? null
  const text = (column: string) => String(row[column])
  return {
    seq: Number(row.seq),
    id: text('id'),
    // boundary: the columns were checked against these very lists before.
    type: text('type') as Parameters<typeof toSealed>[1]['type'],
    is_explicit: row.is_explicit === 'true',
    step: row.step === null || row.step === undefined ? null : Number(row.step),
    // boundary: the same.
    confidence: given('confidence') as Parameters<typeof toSealed>[1]['confidence'],
    actor: text('actor'),
    created_at: new Date(readPostgresTime(row.created_at) ?? Number.NaN),
    reverses: given('reverses'),
    reversed_by: given('reversed_by'),
    survivor_id: given('survivor_id'),
    absorbed_id: given('absorbed_id'),
    a: given('a'),
    b: given('b'),
    reason: given('reason'),
    triggering_event_id: given('triggering_event_id'),
    moved: row.moved === null || row.moved === undefined ? null : JSON.parse(row.moved),
    salt: given('salt'),
    subject_digest: text('subject_digest'),
    previous_hash: text('previous_hash'),
    hash: text('hash'),
  }
}
