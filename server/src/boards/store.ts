import type { Narrowing, Tile } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { savedRows } from '../store/saved-rows.ts'

export type BoardRow = {
  workspace_id: string
  id: string
  site_id: string
  name: string
  description: string
  narrowing: Narrowing
  tiles: readonly Tile[]
  owner: string
  created_at: Date
  updated_at: Date
}

const columns =
  'workspace_id, id, site_id, name, description, narrowing, tiles, owner, created_at, updated_at'

export const {
  one: selectBoard,
  list: selectBoards,
  remove: deleteBoardRow,
} = savedRows<BoardRow>('boards', columns)

/** False when the site has as many as it may. Inserts of one site run one after the other. */
export async function insertBoard(sql: Sql, row: BoardRow, most: number): Promise<boolean> {
  await sql.query('SELECT 1 FROM sites WHERE id = $1 FOR NO KEY UPDATE', [row.site_id])
  const rows = await sql.query(
    `INSERT INTO boards (${columns})
     SELECT $1, $2, $3, $4, $5, $6::json, $7::json, $8, $9, $10
     WHERE (SELECT count(*) FROM boards WHERE workspace_id = $1 AND site_id = $3) < $11
     RETURNING id`,
    [
      row.workspace_id,
      row.id,
      row.site_id,
      row.name,
      row.description,
      JSON.stringify(row.narrowing),
      JSON.stringify(row.tiles),
      row.owner,
      row.created_at,
      row.updated_at,
      most,
    ],
  )
  return rows.length === 1
}

export async function updateBoardRow(sql: Sql, row: BoardRow): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE boards SET name = $3, description = $4, narrowing = $5::json, tiles = $6::json, updated_at = $7
     WHERE workspace_id = $1 AND id = $2 RETURNING 1`,
    [
      row.workspace_id,
      row.id,
      row.name,
      row.description,
      JSON.stringify(row.narrowing),
      JSON.stringify(row.tiles),
      row.updated_at,
    ],
  )
  return rows.length === 1
}
