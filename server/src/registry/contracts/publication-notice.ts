import type { Sql } from '../../store/control.ts'
import { versionOf } from './contracts.ts'
import { selectNewestPublished } from './store.ts'

type Notice = { type: 'contract.published'; subject: string; data: { key: string; version: string } }

/**
 * Sends a notice for the published version of each contract; once per version, however often this is called.
 */
export async function sendPublishedNotice(
  sql: Sql,
  sendNotice: (workspaceId: string, notice: Notice) => Promise<void>,
  workspaceId: string,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) {
    const row = await selectNewestPublished(sql, workspaceId, key)
    if (row === null) continue
    const version = versionOf(row)
    const subject = `${key} ${version}`
    await sendNotice(workspaceId, { type: 'contract.published', subject, data: { key, version } })
  }
}
