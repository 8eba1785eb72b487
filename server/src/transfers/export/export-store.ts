import type { TransferManifest, WorkspaceExport } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export type ExportRow = {
  workspace_id: string
  id: string
  status: WorkspaceExport['status']
  rows_done: number
  error: string | null
  manifest: TransferManifest | null
  expires_at: Date
  /** Its node was at it a moment ago. */
  is_seen: boolean
}

const columns = `workspace_id, id, status, rows_done::float8 AS rows_done, error, manifest, expires_at,
  seen_at > now() - make_interval(secs => $1) AS is_seen`

/** False where another node is at one; any other is replaced. By the clock of the store, which all nodes share. */
export async function beginExport(
  sql: Sql,
  row: Pick<ExportRow, 'workspace_id' | 'id' | 'expires_at'>,
  unseenSeconds: number,
): Promise<boolean> {
  const rows = await sql.query(
    `INSERT INTO workspace_exports AS e (workspace_id, id, status, expires_at, seen_at)
     VALUES ($1, $2, 'running', $3, now())
     ON CONFLICT (workspace_id) DO UPDATE SET id = $2, status = 'running', rows_done = 0, error = NULL,
       manifest = NULL, expires_at = $3, seen_at = now()
     WHERE e.status <> 'running' OR e.seen_at <= now() - make_interval(secs => $4)
     RETURNING id`,
    [row.workspace_id, row.id, row.expires_at, unseenSeconds],
  )
  return rows.length === 1
}

/** False where it was dropped, or replaced. */
export async function updateExport(
  sql: Sql,
  { id, status, rows_done, error, manifest }: Omit<ExportRow, 'workspace_id' | 'expires_at' | 'is_seen'>,
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE workspace_exports SET status = $2, rows_done = $3, error = $4, manifest = $5, seen_at = now()
     WHERE id = $1 RETURNING id`,
    [id, status, rows_done, error, manifest === null ? null : JSON.stringify(manifest)],
  )
  return rows.length === 1
}

export async function selectExport(
  sql: Sql,
  workspaceId: string,
  unseenSeconds: number,
): Promise<ExportRow | null> {
  const [row] = await sql.query<ExportRow>(
    `SELECT ${columns} FROM workspace_exports WHERE workspace_id = $2`,
    [unseenSeconds, workspaceId],
  )
  return row ?? null
}

export async function deleteExport(sql: Sql, id: string): Promise<void> {
  await sql.query('DELETE FROM workspace_exports WHERE id = $1', [id])
}

/** Those whose files are still wanted. */
export async function selectExportIds(sql: Sql, now: Date): Promise<string[]> {
  await sql.query('DELETE FROM workspace_exports WHERE expires_at <= $1', [now])
  const rows = await sql.query<{ id: string }>('SELECT id FROM workspace_exports')
  return rows.map((row) => row.id)
}
