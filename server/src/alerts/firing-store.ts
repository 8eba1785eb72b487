import type { Firing } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import type { AlertPlace } from './store.ts'

export type FiringRow = {
  workspace_id: string
  id: string
  alert_id: string
  interval_start: Date
  value: number
  low: number | null
  high: number | null
  opened_at: Date
  closed_at: Date | null
  closed_by: Firing['closedBy']
  closed_value: number | null
}
type NewFiring = Omit<FiringRow, 'closed_at' | 'closed_by' | 'closed_value'>

const columns = `workspace_id, id, alert_id, interval_start, value, low, high, opened_at, closed_at, closed_by,
  closed_value`

/** The oldest beyond `most` are deleted. */
export async function insertFiring(sql: Sql, row: NewFiring, most: number): Promise<FiringRow> {
  const { workspace_id, id, alert_id, interval_start, value, low, high, opened_at } = row
  await sql.query(
    `INSERT INTO alert_firings (workspace_id, id, alert_id, interval_start, value, low, high, opened_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [workspace_id, id, alert_id, interval_start, value, low, high, opened_at],
  )
  await sql.query(
    `DELETE FROM alert_firings WHERE workspace_id = $1 AND alert_id = $2 AND id <= (
       SELECT id FROM alert_firings WHERE workspace_id = $1 AND alert_id = $2
       ORDER BY id DESC OFFSET $3 LIMIT 1)`,
    [workspace_id, alert_id, most],
  )
  return { ...row, closed_at: null, closed_by: null, closed_value: null }
}

/** The open one, which is closed now; null where none is open. */
export async function closeFiring(
  sql: Sql,
  alert: AlertPlace,
  { at, by, value }: { at: Date; by: NonNullable<Firing['closedBy']>; value: number | null },
): Promise<FiringRow | null> {
  const [row] = await sql.query<FiringRow>(
    `UPDATE alert_firings SET closed_at = $3, closed_by = $4, closed_value = $5
     WHERE workspace_id = $1 AND alert_id = $2 AND closed_at IS NULL RETURNING ${columns}`,
    [alert.workspace_id, alert.id, at, by, value],
  )
  return row ?? null
}

/** When those of the alerts that fire opened. */
export async function selectOpenings(
  sql: Sql,
  workspaceId: string,
  alertIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await sql.query<Pick<FiringRow, 'alert_id' | 'opened_at'>>(
    `SELECT alert_id, opened_at FROM alert_firings
     WHERE workspace_id = $1 AND alert_id = ANY($2) AND closed_at IS NULL`,
    [workspaceId, alertIds],
  )
  return new Map(rows.map(({ alert_id, opened_at }) => [alert_id, opened_at]))
}

/** The last first, before one of them. */
export function selectFirings(
  sql: Sql,
  { workspace_id, id }: AlertPlace,
  before: string | null,
  rows: number,
): Promise<FiringRow[]> {
  return sql.query<FiringRow>(
    `SELECT ${columns} FROM alert_firings
     WHERE workspace_id = $1 AND alert_id = $2 AND ($3::text IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [workspace_id, id, before, rows],
  )
}
