import type { Sql } from '../../store/control.ts'

type PersonKeyRow = { workspace_id: string; key: string }

export function selectPersonKeys(sql: Sql): Promise<PersonKeyRow[]> {
  return sql.query<PersonKeyRow>('SELECT workspace_id, key FROM person_keys')
}

export async function upsertPersonKey(sql: Sql, workspaceId: string, key: string): Promise<void> {
  await sql.query(
    `INSERT INTO person_keys (workspace_id, key) VALUES ($1, $2)
     ON CONFLICT (workspace_id) DO UPDATE SET key = $2`,
    [workspaceId, key],
  )
}
