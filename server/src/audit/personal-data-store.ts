import type { Sql } from '../store/control.ts'
import { mayHold, type SelectTexts, type TextRow } from '../store/people/person-text-table.ts'

export type ActRow = TextRow & {
  at: Date
  action: string
  object_type: string
  object_id: string
  details: string
}

const selectActs =
  (table: 'audit_log' | 'audit_pending'): SelectTexts<ActRow> =>
  (sql, page) =>
    sql.query<ActRow>(
      `SELECT id, json_build_array(object_id, details)::text AS text, at, action, object_type, object_id,
              details::text AS details
       FROM ${table}
       WHERE workspace_id = $1 AND (${mayHold('details::text')} OR ${mayHold('object_id')}) AND id > $3
       ORDER BY id LIMIT $4`,
      page,
    )

export const selectAuditEntries = selectActs('audit_log')
export const selectPendingActs = selectActs('audit_pending')

/** Who did what and when stays. The trigger lets it pass for this workspace, within this transaction. */
export async function emptyAuditEntries(
  sql: Sql,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  await sql.query("SELECT set_config('assay.forgetting_workspace', $1, true)", [workspaceId])
  await sql.query(
    `UPDATE audit_log SET details = '{}', object_id = '' WHERE workspace_id = $1 AND id = ANY($2)`,
    [workspaceId, ids],
  )
}

export async function emptyPendingActs(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql.query(
    `UPDATE audit_pending SET details = '{}', object_id = '' WHERE workspace_id = $1 AND id = ANY($2)`,
    [workspaceId, ids],
  )
}
