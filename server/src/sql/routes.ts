import { runSql } from '@assay/contract'
import type { ReadingDeps } from '../analytics/report-query.ts'
import { type Cell, sendCsv, wantsCsv } from '../http/csv.ts'
import { type Plane, serve } from '../http/serve.ts'
import { answerSql } from './sql-answer.ts'

export function sqlRoutes(plane: Plane, deps: ReadingDeps): void {
  serve(plane, runSql, async ({ body, caller, request, reply }) => {
    const { format, ...asked } = body
    const answer = await answerSql(deps, caller.workspaceId, asked)
    if (!wantsCsv(request, format)) return answer
    const columns = answer.columns.map(({ name }) => name)
    return sendCsv(reply, 'sql', { columns, rows: answer.rows.map((row) => row.map(cellOf)) })
  })
}

/** Lists and maps as JSON. */
function cellOf(value: unknown): Cell {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  return typeof value === 'string' ? value : JSON.stringify(value)
}
