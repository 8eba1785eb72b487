import { dayMs } from '../../platform/units.ts'
import type { Count, Events } from '../../store/events.ts'
import { utcDay } from '../../store/summaries/changes.ts'
import type { BuiltDay, Changes, Day } from './days.ts'

export type Site = { workspaceId: string; siteId: string }

export async function selectSummedSites(events: Events): Promise<Site[]> {
  const rows = await events.query<{ workspace_id: string; site_id: string }>(
    'SELECT DISTINCT workspace_id, site_id FROM summary_sites',
  )
  return rows.map((row) => ({ workspaceId: row.workspace_id, siteId: row.site_id }))
}

type StateRow = {
  kind: 'day' | 'change'
  from_ms: Count
  to_ms: Count
  run: Count
  changes: Count
  at_ms: Count
}

/** What is summed up of a time, and what was changed in it; one statement, so that it is of one moment. */
export async function selectBuilt(
  events: Events,
  { workspaceId, siteId }: Site,
  { fromMs, toMs }: Day,
): Promise<{ built: BuiltDay[]; changes: Changes }> {
  const rows = await events.query<StateRow>(
    `SELECT 'day' AS kind, from_ms, to_ms, run, changes, toInt64(0) AS at_ms FROM summary_days
     WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
       AND from_ms >= {fromMs:Int64} AND from_ms < {toMs:Int64}
     UNION ALL
     SELECT 'change', toInt64(day), toInt64(0), toUInt64(0), sum(changes), toUnixTimestamp64Milli(max(at))
     FROM summary_changes
     WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
       AND day >= {fromDay:Int32} AND day <= {toDay:Int32}
     GROUP BY day`,
    { workspaceId, siteId, fromMs, toMs, fromDay: utcDay(fromMs), toDay: utcDay(toMs + dayMs) },
  )
  const built: BuiltDay[] = []
  const changes = new Map<number, { changes: number; atMs: number }>()
  for (const row of rows) {
    const [first, sum] = [Number(row.from_ms), Number(row.changes)]
    if (row.kind === 'change') changes.set(first, { changes: sum, atMs: Number(row.at_ms) })
    else built.push({ fromMs: first, toMs: Number(row.to_ms), run: Number(row.run), changes: sum })
  }
  return { built, changes }
}
