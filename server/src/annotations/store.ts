import type { AnnotationOrder } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { savedRows } from '../store/saved/saved-rows.ts'

export type AnnotationRow = {
  workspace_id: string
  id: string
  site_id: string | null
  at: Date
  text: string
  link: string | null
  author: string
  created_at: Date
  updated_at: Date
}

const columns = 'workspace_id, id, site_id, at, text, link, author, created_at, updated_at'

export const { remove: deleteAnnotationRow } = savedRows<AnnotationRow>('annotations', columns)

/** False when the workspace has as many as it may. Inserts of one workspace run one after the other. */
export async function insertAnnotation(sql: Sql, row: AnnotationRow, most: number): Promise<boolean> {
  await sql.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [row.workspace_id])
  const rows = await sql.query(
    `INSERT INTO annotations (${columns})
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
     WHERE (SELECT count(*) FROM annotations WHERE workspace_id = $1) < $10
     RETURNING id`,
    [
      row.workspace_id,
      row.id,
      row.site_id,
      row.at,
      row.text,
      row.link,
      row.author,
      row.created_at,
      row.updated_at,
      most,
    ],
  )
  return rows.length === 1
}

export type AnnotationScope = {
  workspaceId: string
  /** Null: of all sites. Otherwise of this site and of the whole workspace. */
  siteId: string | null
  from: Date
  to: Date
}

export type AnnotationPlace = { order: AnnotationOrder; after: { at: Date; id: string } | null }

/** In the order of their times, and of their ids where these are equal, after one of them. */
export function selectAnnotations(
  sql: Sql,
  { workspaceId, siteId, from, to }: AnnotationScope,
  { order, after }: AnnotationPlace,
  rows: number,
): Promise<AnnotationRow[]> {
  const [direction, sign] = order === 'newest' ? ['DESC', '<'] : ['ASC', '>']
  return sql.query<AnnotationRow>(
    `SELECT ${columns} FROM annotations
     WHERE workspace_id = $1 AND ($2::text IS NULL OR site_id IS NULL OR site_id = $2)
       AND at >= $3 AND at < $4 AND ($5::timestamptz IS NULL OR (at, id) ${sign} ($5, $6))
     ORDER BY at ${direction}, id ${direction} LIMIT $7`,
    [workspaceId, siteId, from, to, after?.at ?? null, after?.id ?? '', rows],
  )
}

/** What is null stays as it is; a link is also removed. Null when there is no such annotation. */
export async function updateAnnotationRow(
  sql: Sql,
  { workspaceId, id }: { workspaceId: string; id: string },
  change: { at: Date | null; text: string | null; link: string | null; hasLink: boolean; now: Date },
): Promise<AnnotationRow | null> {
  const [row] = await sql.query<AnnotationRow>(
    `UPDATE annotations SET at = coalesce($3, at), text = coalesce($4, text),
       link = CASE WHEN $6 THEN $5 ELSE link END, updated_at = $7
     WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
    [workspaceId, id, change.at, change.text, change.link, change.hasLink, change.now],
  )
  return row ?? null
}
