import type { Sql } from '../store/control.ts'
import type { Whose } from './delivery-store.ts'

export async function selectMemory(
  sql: Sql,
  { workspaceId, connectionId }: Whose,
  key: string,
): Promise<unknown> {
  const [row] = await sql.query<{ memory: unknown }>(
    `SELECT memory FROM webhook_memory
     WHERE connection_id = (SELECT id FROM webhook_connections WHERE id = $1 AND workspace_id = $3) AND key = $2`,
    [connectionId, key, workspaceId],
  )
  return row?.memory ?? null
}

/** Those of several keys that there are. */
export async function selectMemories(
  sql: Sql,
  { workspaceId, connectionId }: Whose,
  keys: readonly string[],
): Promise<unknown[]> {
  const rows = await sql.query<{ memory: unknown }>(
    `SELECT memory FROM webhook_memory
     WHERE connection_id = (SELECT id FROM webhook_connections WHERE id = $1 AND workspace_id = $3) AND key = ANY($2)
     ORDER BY key`,
    [connectionId, keys, workspaceId],
  )
  return rows.map(({ memory }) => memory)
}

/** Names of payments that no delivery reports any more. */
export async function forgetPaymentsBefore(sql: Sql, at: Date): Promise<void> {
  await sql.query("DELETE FROM webhook_memory WHERE key LIKE 'payment:%' AND updated_at < $1", [at])
}

/** Of a connection that is gone nothing needs to be remembered. */
export async function upsertMemory(
  sql: Sql,
  { workspaceId, connectionId }: Whose,
  key: string,
  memory: object,
  at: Date,
): Promise<void> {
  await sql.query(
    `INSERT INTO webhook_memory (connection_id, key, memory, updated_at)
     SELECT id, $2, $3::json, $4 FROM webhook_connections WHERE id = $1 AND workspace_id = $5
     ON CONFLICT (connection_id, key) DO UPDATE SET memory = excluded.memory, updated_at = excluded.updated_at`,
    [connectionId, key, JSON.stringify(memory), at, workspaceId],
  )
}
