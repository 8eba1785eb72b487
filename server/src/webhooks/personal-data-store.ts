import type { Sql } from '../store/control.ts'
import { mayHold, type SelectTexts, type TextRow } from '../store/people/person-text-table.ts'

type PayloadRow = TextRow & { provider: string; type: string; received_at: Date }

/** Deliveries whose payload is stored, by what it says. */
export const selectPayloads: SelectTexts<PayloadRow> = (sql, page) =>
  sql.query<PayloadRow>(
    `SELECT id, payload AS text, provider, type, received_at FROM webhook_deliveries
     WHERE workspace_id = $1 AND payload IS NOT NULL AND ${mayHold('payload')} AND id > $3
     ORDER BY id LIMIT $4`,
    page,
  )

/** What came stays known as having come, so that the vendor's next try does not bring it back. */
export async function emptyPayloads(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql.query(
    `UPDATE webhook_deliveries
     SET payload = NULL, reason = 'forgotten', due_at = NULL, waits_for = NULL,
         status = CASE WHEN status = 'waiting' THEN 'unmapped' ELSE status END
     WHERE workspace_id = $1 AND id = ANY($2)`,
    [workspaceId, ids],
  )
}

type MemoryRow = TextRow & { provider: string; updated_at: Date }

const memoryId = `(memory.connection_id || ' ' || memory.key) COLLATE "C"`

/** What is remembered between deliveries; the id is the connection's and the key. */
export const selectMemories: SelectTexts<MemoryRow> = (sql, page) =>
  sql.query<MemoryRow>(
    `SELECT ${memoryId} AS id, memory.memory::text AS text, connection.provider, memory.updated_at
     FROM webhook_memory AS memory JOIN webhook_connections AS connection ON connection.id = memory.connection_id
     WHERE connection.workspace_id = $1 AND ${mayHold('memory.memory::text')} AND ${memoryId} > $3
     ORDER BY id LIMIT $4`,
    page,
  )

export async function deleteMemories(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql.query(
    `DELETE FROM webhook_memory AS memory USING webhook_connections AS connection
     WHERE connection.id = memory.connection_id AND connection.workspace_id = $1 AND ${memoryId} = ANY($2)`,
    [workspaceId, ids],
  )
}
