import type { AlertQuestion } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { mayHold, type SelectTexts, type TextRow } from '../store/people/person-text-table.ts'

export type NamingAlert = TextRow & { name: string; question: AlertQuestion | null; recipients: string[] }

const said = 'json_build_array(name, question, recipients)::text'

export const selectNamingAlerts: SelectTexts<NamingAlert> = (sql, page) =>
  sql.query<NamingAlert>(
    `SELECT id, ${said} AS text, name, question, recipients FROM alerts
     WHERE workspace_id = $1 AND ${mayHold(said)} AND id > $3
     ORDER BY id LIMIT $4`,
    page,
  )

export async function updateNamingAlert(
  sql: Sql,
  workspaceId: string,
  { id, name, recipients }: Pick<NamingAlert, 'id' | 'name' | 'recipients'>,
): Promise<void> {
  await sql.query('UPDATE alerts SET name = $3, recipients = $4 WHERE workspace_id = $1 AND id = $2', [
    workspaceId,
    id,
    name,
    recipients,
  ])
}

export async function deleteNamingAlert(sql: Sql, workspaceId: string, id: string): Promise<void> {
  await sql.query('DELETE FROM alerts WHERE workspace_id = $1 AND id = $2', [workspaceId, id])
}

type NamingMessage = TextRow & { recipient: string; facts: unknown; created_at: Date }

const sent = 'json_build_array(recipient, facts)::text'

export const selectNamingMessages: SelectTexts<NamingMessage> = (sql, page) =>
  sql.query<NamingMessage>(
    `SELECT id, ${sent} AS text, recipient, facts, created_at FROM alert_messages
     WHERE workspace_id = $1 AND ${mayHold(sent)} AND id > $3
     ORDER BY id LIMIT $4`,
    page,
  )

export async function deleteMessages(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql.query('DELETE FROM alert_messages WHERE workspace_id = $1 AND id = ANY($2)', [workspaceId, ids])
}
