import type { ExchangeRate } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type RatesRow = { base: string; rates: ExchangeRate[]; updated_at: Date }

export async function selectRates(sql: Sql, workspaceId: string): Promise<RatesRow | null> {
  const [row] = await sql.query<RatesRow>(
    'SELECT base, rates, updated_at FROM exchange_rates WHERE workspace_id = $1',
    [workspaceId],
  )
  return row ?? null
}

export async function upsertRates(sql: Sql, workspaceId: string, row: RatesRow): Promise<void> {
  await sql.query(
    `INSERT INTO exchange_rates (workspace_id, base, rates, updated_at) VALUES ($1, $2, $3::json, $4)
     ON CONFLICT (workspace_id) DO UPDATE
       SET base = excluded.base, rates = excluded.rates, updated_at = excluded.updated_at`,
    [workspaceId, row.base, JSON.stringify(row.rates), row.updated_at],
  )
}
