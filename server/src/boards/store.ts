import type { Narrowing, Tile } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { savedRows } from '../store/saved/saved-rows.ts'

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
  insert: insertBoard,
  one: selectBoard,
  list: selectBoards,
  remove: deleteBoardRow,
} = savedRows<BoardRow>('boards', columns, ['narrowing', 'tiles'])

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
