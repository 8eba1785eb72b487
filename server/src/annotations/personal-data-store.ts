import type { Sql } from '../store/control.ts'
import { mayHold, type SelectTexts, type TextRow } from '../store/people/person-text-table.ts'

type NamingRow = TextRow & { at: Date; words: string; link: string | null }

const said = 'json_build_array(text, link)::text'

export const selectNamingAnnotations: SelectTexts<NamingRow> = (sql, page) =>
  sql.query<NamingRow>(
    `SELECT id, ${said} AS text, at, text AS words, link FROM annotations
     WHERE workspace_id = $1 AND ${mayHold(said)} AND id > $3
     ORDER BY id LIMIT $4`,
    page,
  )

/** That something happened then stays; what it was may be about the person alone. */
export async function emptyAnnotations(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql.query(`UPDATE annotations SET text = '', link = NULL WHERE workspace_id = $1 AND id = ANY($2)`, [
    workspaceId,
    ids,
  ])
}
