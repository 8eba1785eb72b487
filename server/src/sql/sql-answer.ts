import { type Made, type runSql, sqlLimits } from '@assay/contract'
import { readPeriod, toPeriod } from '../analytics/period.ts'
import { openFilter, type ReadingDeps } from '../analytics/report-query.ts'
import type { EventFilter } from '../store/event-filter.ts'
import { readRows } from './answer-rows.ts'
import { parseQuery } from './parser/query-parser.ts'
import { refused } from './refusal.ts'
import { asksPeople, definedNames } from './statement/names.ts'
import { printStatement } from './statement/query-store.ts'
import { selectSql } from './statement-store.ts'
import { storeRefusal } from './store-refusal.ts'
import { tablesOf } from './tables-store.ts'

type SqlQuestion = {
  siteId: string
  query: string
  from?: string | undefined
  to?: string | undefined
  window?: string | undefined
  timezone?: string | undefined
  includeBots?: boolean | undefined
  limit?: number | undefined
}

/** Answers one SELECT over the tables of a site of the workspace; refuses everything else. */
export async function answerSql(
  deps: ReadingDeps,
  workspaceId: string,
  asked: SqlQuestion,
): Promise<Made<typeof runSql>> {
  const site = await deps.requireSite(workspaceId, asked.siteId)
  const period = readPeriod(asked, site.timezone, deps.now())
  const query = parseQuery(asked.query)
  const { timezone } = period
  const includeBots = asked.includeBots ?? false
  const filter = await openFilter(deps, workspaceId, site.id, { conditions: [], includeBots, timezone })
  const tables = tablesOf(asksPeople(query) ? filter : withoutMerges(filter), period, timezone)
  const { sql, tableNames } = printStatement(asked.query, query, tables.sql)
  const rowsMax = asked.limit ?? sqlLimits.rowsDefault
  const answer = await selectSql(deps.events, sql, tables.params, {
    workspaceId,
    siteId: site.id,
    rowsMax,
  }).catch((cause: unknown) => {
    throw storeRefusal(cause, definedNames(asked.query, query))
  })
  const nameOf = (name: string) => name.replace(/^assay_\d+(?=\.)/, (own) => tableNames.get(own) || own)
  const bounds = { rowsMax, bytesMax: sqlLimits.answerBytesMax }
  const { columns, rows, isTruncated } = await readRows(answer, bounds, nameOf)
  if (rows.length === 0 && isTruncated) throw refused('Its first row is too large to be answered')
  return { siteId: site.id, period: toPeriod(period), columns, rows, truncated: isTruncated }
}

/** Looking merges up costs as much as reading the events. */
function withoutMerges(filter: EventFilter): EventFilter {
  return { ...filter, readOverlays: { ...filter.readOverlays, hasMerges: false } }
}
