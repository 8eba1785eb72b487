import type { AlertCondition, AlertInterval, AlertQuestion } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { savedRows } from '../store/saved/saved-rows.ts'
import type { AlertState } from './judge/states.ts'

export type AlertRow = {
  workspace_id: string
  id: string
  site_id: string
  name: string
  question: AlertQuestion | null
  report_id: string | null
  report_metric: string | null
  interval: AlertInterval
  condition: AlertCondition
  recipients: string[]
  slack_url: string
  has_notice: boolean
  is_paused: boolean
  state: AlertState
  last_value: number | null
  last_start: Date | null
  last_checked_at: Date | null
  last_error: string | null
  failures: number
  next_at: Date
  owner: string
  created_at: Date
  updated_at: Date
}
export type AlertPlace = Pick<AlertRow, 'workspace_id' | 'id'>

const settings = `workspace_id, id, site_id, name, question, report_id, report_metric, "interval", condition,
  recipients, slack_url, has_notice, is_paused, state, next_at, owner, created_at, updated_at`
export const alertColumns = `${settings}, last_value, last_start, last_checked_at, last_error, failures`

export const { list: selectAlerts, remove: deleteAlertRow } = savedRows<AlertRow>('alerts', alertColumns)

const json = (value: object | null) => (value === null ? null : JSON.stringify(value))

/** False when the site has as many as it may. Inserts of one site run one after the other. */
export async function insertAlert(sql: Sql, row: AlertRow, most: number): Promise<boolean> {
  await sql.query('SELECT 1 FROM sites WHERE id = $1 FOR NO KEY UPDATE', [row.site_id])
  const rows = await sql.query(
    `INSERT INTO alerts (${settings})
     SELECT $1, $2, $3, $4, $5::json, $6, $7, $8, $9::json, $10, $11, $12, $13, $14, $15, $16, $17, $18
     WHERE (SELECT count(*) FROM alerts WHERE workspace_id = $1 AND site_id = $3) < $19
     RETURNING id`,
    [
      row.workspace_id,
      row.id,
      row.site_id,
      row.name,
      json(row.question),
      row.report_id,
      row.report_metric,
      row.interval,
      json(row.condition),
      row.recipients,
      row.slack_url,
      row.has_notice,
      row.is_paused,
      row.state,
      row.next_at,
      row.owner,
      row.created_at,
      row.updated_at,
      most,
    ],
  )
  return rows.length === 1
}

/** What members set. What checks found stays as it is. */
export async function updateAlertSettings(sql: Sql, row: AlertRow): Promise<void> {
  await sql.query(
    `UPDATE alerts SET name = $3, question = $4::json, report_id = $5, report_metric = $6, "interval" = $7,
       condition = $8::json, recipients = $9, slack_url = $10, has_notice = $11, is_paused = $12, updated_at = $13
     WHERE workspace_id = $1 AND id = $2`,
    [
      row.workspace_id,
      row.id,
      row.name,
      json(row.question),
      row.report_id,
      row.report_metric,
      row.interval,
      json(row.condition),
      row.recipients,
      row.slack_url,
      row.has_notice,
      row.is_paused,
      row.updated_at,
    ],
  )
}

/** As if it had never been judged. A check under way finds another time in `next_at`, and writes nothing. */
export async function resetAlert(sql: Sql, { workspace_id, id }: AlertPlace, at: Date): Promise<void> {
  await sql.query(
    `UPDATE alerts SET state = 'unknown', last_value = NULL, last_start = NULL, last_error = NULL, failures = 0,
       next_at = $3
     WHERE workspace_id = $1 AND id = $2`,
    [workspace_id, id, at],
  )
}

export async function selectAlert(
  sql: Sql,
  { workspace_id, id }: AlertPlace,
  lock: 'FOR UPDATE' | '' = '',
): Promise<AlertRow | null> {
  const [row] = await sql.query<AlertRow>(
    `SELECT ${alertColumns} FROM alerts WHERE workspace_id = $1 AND id = $2 ${lock}`,
    [workspace_id, id],
  )
  return row ?? null
}

export async function removeRecipient(
  sql: Sql,
  { workspace_id, id }: AlertPlace,
  email: string,
): Promise<void> {
  await sql.query(
    'UPDATE alerts SET recipients = array_remove(recipients, $3) WHERE workspace_id = $1 AND id = $2',
    [workspace_id, id, email],
  )
  await sql.query(
    `DELETE FROM alert_messages
     WHERE workspace_id = $1 AND alert_id = $2 AND recipient = $3 AND status = 'pending'`,
    [workspace_id, id, email],
  )
}
