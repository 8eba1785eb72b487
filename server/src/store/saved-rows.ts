import type { Sql } from './control.ts'

/**
 * The statements that are the same for everything that is saved for a site: a table with `workspace_id`, `id` and
 * `site_id`, listed in the order of ids, which is the order in which the rows were made.
 */
export function savedRows<Row extends Record<string, unknown>>(table: string, columns: string) {
  return {
    async one(sql: Sql, workspaceId: string, id: string): Promise<Row | null> {
      const [row] = await sql.query<Row>(
        `SELECT ${columns} FROM ${table} WHERE workspace_id = $1 AND id = $2`,
        [workspaceId, id],
      )
      return row ?? null
    },

    /** Those after an id; of all sites where none is given. */
    list(sql: Sql, workspaceId: string, siteId: string | null, after: string, rows: number): Promise<Row[]> {
      return sql.query<Row>(
        `SELECT ${columns} FROM ${table}
         WHERE workspace_id = $1 AND ($2::text IS NULL OR site_id = $2) AND id > $3
         ORDER BY id LIMIT $4`,
        [workspaceId, siteId, after, rows],
      )
    },

    /** False when there is no such row. */
    async remove(sql: Sql, workspaceId: string, id: string): Promise<boolean> {
      const rows = await sql.query(`DELETE FROM ${table} WHERE workspace_id = $1 AND id = $2 RETURNING 1`, [
        workspaceId,
        id,
      ])
      return rows.length === 1
    },
  }
}
