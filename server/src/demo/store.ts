import type { Sql } from '../store/control.ts'

export type DemoRow = {
  workspace_id: string
  user_id: string
  site_id: string
  /** The traffic ends here; stored, so that an interrupted fill is repeated exactly. */
  until: Date
  sent: number
  is_filled: boolean
  is_removing: boolean
  created_at: Date
}

const columns = 'workspace_id, user_id, site_id, until, sent, is_filled, is_removing, created_at'

export async function selectDemo(sql: Sql, userId: string): Promise<DemoRow | null> {
  const [row] = await sql.query<DemoRow>(`SELECT ${columns} FROM demos WHERE user_id = $1`, [userId])
  return row ?? null
}

export async function insertDemo(
  sql: Sql,
  row: Pick<DemoRow, 'workspace_id' | 'user_id' | 'site_id' | 'until'>,
): Promise<void> {
  await sql.query(
    'INSERT INTO demos (workspace_id, user_id, site_id, until, created_at) VALUES ($1, $2, $3, $4, $4)',
    [row.workspace_id, row.user_id, row.site_id, row.until],
  )
}

export async function updateSent(
  sql: Sql,
  workspaceId: string,
  sent: number,
  isFilled: boolean,
): Promise<void> {
  await sql.query('UPDATE demos SET sent = $2, is_filled = $3 WHERE workspace_id = $1', [
    workspaceId,
    sent,
    isFilled,
  ])
}

export async function markRemoving(sql: Sql, workspaceId: string): Promise<void> {
  await sql.query('UPDATE demos SET is_removing = true WHERE workspace_id = $1', [workspaceId])
}
