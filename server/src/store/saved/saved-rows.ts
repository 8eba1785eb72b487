import type { Sql } from '../control.ts'

type SavedRow = Record<string, unknown> & { site_id: string | null }

/**
 * The statements that are the same for everything that is saved for a site: a table whose first columns are
 * `workspace_id`, `id` and `site_id`, listed in the order of ids, which is the order in which the rows were made.
 */
export function savedRows<Row extends SavedRow>(
  table: string,
  columns: string,
  json: readonly string[] = [],
) {
  return {
    /**
     * False when the site has as many as it may. Inserts of one site run one after the other. Columns of `json` are
     * written as JSON, the others as they are.
     */
    async insert(sql: Sql, row: Row, most: number): Promise<boolean> {
      await sql.query('SELECT 1 FROM sites WHERE id = $1 FOR NO KEY UPDATE', [row.site_id])
      const names = columns.split(/,\s*/)
      const places = names.map((name, index) =>
        json.includes(name) ? `$${index + 1}::json` : `$${index + 1}`,
      )
      const values = names.map((name) => (json.includes(name) ? JSON.stringify(row[name]) : row[name]))
      const rows = await sql.query(
        `INSERT INTO ${table} (${columns})
         SELECT ${places.join(', ')}
         WHERE (SELECT count(*) FROM ${table} WHERE workspace_id = $1 AND site_id = $3) < $${names.length + 1}
         RETURNING id`,
        [...values, most],
      )
      return rows.length === 1
    },

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
