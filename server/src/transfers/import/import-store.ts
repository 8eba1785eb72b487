import type { TransferManifest, WorkspaceImport } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export type ImportRow = {
  id: string
  workspace_id: string
  node_id: string
  status: WorkspaceImport['status']
  manifest: TransferManifest
  rows_done: number
  error: string | null
  created_at: Date
}

const columns =
  'id, workspace_id, node_id, status, manifest, rows_done::float8 AS rows_done, error, created_at'

/** Of a workspace there is one; another takes its place. */
export async function upsertImport(sql: Sql, row: ImportRow): Promise<void> {
  await sql.query(
    `INSERT INTO workspace_imports (id, workspace_id, node_id, status, manifest, created_at)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (workspace_id) DO UPDATE SET id = $1, node_id = $3, status = $4, manifest = $5, rows_done = 0,
       error = NULL, created_at = $6, finished_at = NULL`,
    [row.id, row.workspace_id, row.node_id, row.status, JSON.stringify(row.manifest), row.created_at],
  )
}

export async function selectImport(sql: Sql, workspaceId: string): Promise<ImportRow | null> {
  const [row] = await sql.query<ImportRow>(
    `SELECT ${columns} FROM workspace_imports WHERE workspace_id = $1`,
    [workspaceId],
  )
  return row ?? null
}

export function selectApplying(sql: Sql): Promise<ImportRow[]> {
  return sql.query<ImportRow>(`SELECT ${columns} FROM workspace_imports WHERE status = 'applying'`)
}

/** Those of this node, or of all, whose files may still be wanted. */
export async function selectLatelyBegun(sql: Sql, nodeId: string | null, since: Date): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT id FROM workspace_imports
     WHERE ($1::text IS NULL OR node_id = $1) AND (status = 'applying' OR (status <> 'done' AND created_at > $2))`,
    [nodeId, since],
  )
  return rows.map((row) => row.id)
}

/** False when it was in another state by then. */
export async function updateImport(
  sql: Sql,
  id: string,
  from: readonly ImportRow['status'][],
  to: ImportRow['status'],
  error: string | null,
  now: Date,
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE workspace_imports SET status = $3::text, error = $4,
       finished_at = CASE WHEN $3::text IN ('done', 'failed') THEN $5::timestamptz END
     WHERE id = $1 AND status = ANY ($2) RETURNING id`,
    [id, [...from], to, error, now],
  )
  return rows.length === 1
}

/** From now on this node puts it into place. False where it was in another state by then. */
export async function claimImport(sql: Sql, id: string, nodeId: string): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE workspace_imports SET status = 'applying', error = NULL, node_id = $2, seen_at = now()
     WHERE id = $1 AND status = 'receiving' RETURNING id`,
    [id, nodeId],
  )
  return rows.length === 1
}

/** Those whose node was not seen for so long become this node's. By the clock of the store, which all nodes share. */
export async function takeOverImports(sql: Sql, nodeId: string, unseenSeconds: number): Promise<ImportRow[]> {
  return sql.query<ImportRow>(
    `UPDATE workspace_imports SET node_id = $1, seen_at = now()
     WHERE status = 'applying' AND node_id <> $1 AND seen_at <= now() - make_interval(secs => $2)
     RETURNING ${columns}`,
    [nodeId, unseenSeconds],
  )
}

/** False where another node took it over. */
export async function seeImport(sql: Sql, id: string, nodeId: string): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE workspace_imports SET seen_at = now()
     WHERE id = $1 AND node_id = $2 AND status = 'applying' RETURNING id`,
    [id, nodeId],
  )
  return rows.length === 1
}

export async function updateImportProgress(sql: Sql, id: string, rowsDone: number): Promise<void> {
  await sql.query('UPDATE workspace_imports SET rows_done = $2 WHERE id = $1', [id, rowsDone])
}
