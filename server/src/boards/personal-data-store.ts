import type { Tile } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { mayHold, type SelectTexts, type TextRow } from '../store/people/person-text-table.ts'

export type NamingBoard = TextRow & {
  name: string
  description: string
  narrowing: Readonly<Record<string, unknown>>
  tiles: readonly Tile[]
}

const said = 'json_build_array(name, description, narrowing, tiles)::text'

export const selectNamingBoards: SelectTexts<NamingBoard> = (sql, page) =>
  sql.query<NamingBoard>(
    `SELECT id, ${said} AS text, name, description, narrowing, tiles FROM boards
     WHERE workspace_id = $1 AND ${mayHold(said)} AND id > $3
     ORDER BY id LIMIT $4`,
    page,
  )

export async function updateNamingBoard(
  sql: Sql,
  workspaceId: string,
  { id, name, description, narrowing, tiles }: Omit<NamingBoard, 'text'>,
): Promise<void> {
  await sql.query(
    `UPDATE boards SET name = $3, description = $4, narrowing = $5::json, tiles = $6::json
     WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id, name, description, JSON.stringify(narrowing), JSON.stringify(tiles)],
  )
}
