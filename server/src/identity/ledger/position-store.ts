import type { Sql } from '../../store/control.ts'

export async function selectLedgerSeq(sql: Sql, workspaceId: string): Promise<number> {
  const [row] = await sql.query<{ seq: number }>(
    'SELECT seq::float8 AS seq FROM identity_ledger_heads WHERE workspace_id = $1',
    [workspaceId],
  )
  return row?.seq ?? 0
}

export async function selectHasReversalAfter(sql: Sql, workspaceId: string, seq: number): Promise<boolean> {
  const rows = await sql.query(
    `SELECT 1 FROM identity_ledger WHERE workspace_id = $1 AND seq > $2 AND type = 'reverse' LIMIT 1`,
    [workspaceId, seq],
  )
  return rows.length > 0
}
