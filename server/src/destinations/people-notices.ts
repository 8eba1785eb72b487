import type { EntryListener } from '../identity/ledger/transaction.ts'
import type { SendNotice } from '../platform/notices.ts'
import type { Sql } from '../store/control.ts'

/** Sends notices of merges and reversals. */
export async function publishEntries(
  sendNotice: SendNotice,
  sql: Sql,
  workspaceId: string,
  rows: Parameters<EntryListener>[2],
): Promise<void> {
  for (const { id, type, survivor_id, absorbed_id, reverses } of rows) {
    const data = { ledger_entry_id: id, survivor_id, absorbed_id }
    if (type === 'merge') await sendNotice(workspaceId, { type: 'identity.merged', subject: id, data }, sql)
    if (type !== 'reverse') continue
    const notice = { type: 'identity.reversed', subject: id, data: { ...data, reverses } } as const
    await sendNotice(workspaceId, notice, sql)
  }
}
