import type { Sql } from '../../store/control.ts'
import { selectHasReversalAfter, selectLedgerSeq } from './position-store.ts'

/** How far the ledger of who is who has come. */
export function ledgerSeq(sql: Sql, workspaceId: string): Promise<number> {
  return selectLedgerSeq(sql, workspaceId)
}

/** Whether since then somebody became two people again, or was forgotten: what was worked out before may be wrong. */
export function wasReversedSince(sql: Sql, workspaceId: string, seq: number): Promise<boolean> {
  return selectHasReversalAfter(sql, workspaceId, seq)
}
