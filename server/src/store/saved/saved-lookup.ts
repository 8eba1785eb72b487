import { Problem } from '@assay/contract'
import { type IdPrefix, isId } from '../../platform/clock.ts'
import type { Sql } from '../control.ts'

type Rows<Row> = {
  one: (sql: Sql, workspaceId: string, id: string) => Promise<Row | null>
  remove: (sql: Sql, workspaceId: string, id: string) => Promise<boolean>
}

/** Finds and deletes what is saved by its id. What is not there, or of another workspace, is refused alike. */
export function savedLookup<Row>(prefix: IdPrefix, noun: string, rows: Rows<Row>) {
  const missing = () => new Problem('not-found', { detail: `There is no such ${noun}.` })
  return {
    missing,

    async require(sql: Sql, workspaceId: string, id: string): Promise<Row> {
      const row = isId(prefix, id) ? await rows.one(sql, workspaceId, id) : null
      if (row === null) throw missing()
      return row
    },

    async remove(sql: Sql, workspaceId: string, id: string): Promise<void> {
      if (!isId(prefix, id) || !(await rows.remove(sql, workspaceId, id))) throw missing()
    },
  }
}
