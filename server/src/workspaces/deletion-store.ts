import type { Sql } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { changeRows } from '../store/row-changes.ts'

export async function selectDueDeletions(sql: Sql, now: Date): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    'SELECT id FROM workspaces WHERE delete_after <= $1 ORDER BY delete_after',
    [now],
  )
  return rows.map((row) => row.id)
}

/** From here on it cannot be taken back. False when it was, a moment ago. */
export async function markDeletionStarted(sql: Sql, id: string, now: Date): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE workspaces SET delete_started_at = coalesce(delete_started_at, $2)
     WHERE id = $1 AND delete_after <= $2 RETURNING id`,
    [id, now],
  )
  return rows.length === 1
}

export async function selectMemberIds(sql: Sql, workspaceId: string): Promise<string[]> {
  const rows = await sql.query<{ user_id: string }>(
    'SELECT user_id FROM memberships WHERE workspace_id = $1',
    [workspaceId],
  )
  return rows.map((row) => row.user_id)
}

/** To be called in a transaction: everything of the workspace goes with its row, and only that it is gone is kept. */
export async function deleteWorkspaceRow(sql: Sql, id: string, now: Date): Promise<void> {
  await sql.query(
    `INSERT INTO deleted_workspaces (id, requested_by, deleted_at)
     SELECT id, coalesce(delete_requested_by, ''), $2 FROM workspaces WHERE id = $1
     ON CONFLICT (id) DO NOTHING`,
    [id, now],
  )
  // The audit log lets its entries go for this workspace, in this transaction, and for nothing else.
  await sql.query("SELECT set_config('assay.deleted_workspace', $1, true)", [id])
  await sql.query('DELETE FROM workspaces WHERE id = $1', [id])
}

export async function selectDeletedWorkspaces(sql: Sql, since: Date): Promise<string[]> {
  const rows = await sql.query<{ id: string }>('SELECT id FROM deleted_workspaces WHERE deleted_at >= $1', [
    since,
  ])
  return rows.map((row) => row.id)
}

/** Asked of the store itself, so that a table that is added later is not forgotten. */
export async function selectTablesByWorkspace(events: Events): Promise<string[]> {
  const rows = await events.query<{ name: string }>(
    `SELECT t.name AS name FROM system.tables AS t
     INNER JOIN system.columns AS c ON c.database = t.database AND c.table = t.name
     WHERE t.database = currentDatabase() AND c.name = 'workspace_id' AND t.engine LIKE '%MergeTree'
     ORDER BY name`,
  )
  return rows.map((row) => row.name)
}

/** The one table whose rows belong to a generation of overlaid events, and only through it to a workspace. */
export const tableByGeneration = 'overlay_orders'

export async function deleteGenerationsOf(events: Events, workspaceIds: readonly string[]): Promise<void> {
  const rows = await events.query<{ generation: string }>(
    'SELECT DISTINCT generation FROM overlaid_events WHERE workspace_id IN {ids:Array(String)}',
    { ids: workspaceIds },
  )
  if (rows.length === 0) return
  await changeRows(
    events,
    `ALTER TABLE ${tableByGeneration} DELETE WHERE generation IN {generations:Array(String)}`,
    { generations: rows.map((row) => row.generation) },
  )
}

export async function selectWorkspacesIn(
  events: Events,
  table: string,
  workspaceIds: readonly string[],
): Promise<string[]> {
  const rows = await events.query<{ workspace_id: string }>(
    `SELECT DISTINCT workspace_id FROM ${table} WHERE workspace_id IN {ids:Array(String)}`,
    { ids: workspaceIds },
  )
  return rows.map((row) => row.workspace_id)
}

/** Whether the store is still at it, since an earlier call that did not wait for the end. */
export async function isDeleting(
  events: Events,
  table: string,
  workspaceIds: readonly string[],
): Promise<boolean> {
  const rows = await events.query(
    `SELECT mutation_id FROM system.mutations
     WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done
       AND multiSearchAny(command, {ids:Array(String)})`,
    { table, ids: workspaceIds },
  )
  return rows.length > 0
}

/** Rewrites the parts that hold rows of these workspaces, and answers when that is done. */
export async function deleteRowsOf(
  events: Events,
  table: string,
  workspaceIds: readonly string[],
): Promise<void> {
  await changeRows(events, `ALTER TABLE ${table} DELETE WHERE workspace_id IN {ids:Array(String)}`, {
    ids: workspaceIds,
  })
}
