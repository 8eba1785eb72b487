import type { Sql } from '../../store/control.ts'
import { selectHasReversalAfter, selectLedgerSeq } from './position-store.ts'

/** Current position of the identity ledger. */
export function ledgerSeq(sql: Sql, workspaceId: string): Promise<number> {
  return selectLedgerSeq(sql, workspaceId)
}

/** Whether people were separated or erased since then: earlier results may be wrong. */
export function wasReversedSince(sql: Sql, workspaceId: string, seq: number): Promise<boolean> {
  return selectHasReversalAfter(sql, workspaceId, seq)
}
