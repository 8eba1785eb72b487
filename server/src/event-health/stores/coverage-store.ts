import type { Count, Events } from '../../store/events.ts'
import { type HealthScope, hour, mine, type Span, time } from './measures.ts'

export type CoverageRow = {
  surface: string
  name: string
  week: Count
  last_ms: Count
  gap_hours: number | null
}

/** What came from each surface in a month: how much in its last week, when last, and how far apart usually. */
export function selectCoverage(
  events: Events,
  scope: HealthScope,
  span: Span,
  weekFromMs: number,
): Promise<CoverageRow[]> {
  return events.query<CoverageRow>(
    `SELECT surface, name, countIf(ts >= ${time('weekFromMs')}) AS week, toUnixTimestamp64Milli(max(ts)) AS last_ms,
            arrayReduce('quantileExact(0.95)', arrayPopFront(arrayDifference(
              arraySort(groupUniqArray(toInt64(intDiv(toUnixTimestamp64Milli(ts), 3600000))))))) AS gap_hours
     FROM events
     WHERE ${mine} AND ts >= ${time('fromMs')} AND ts < ${time('toMs')} GROUP BY surface, name`,
    { ...scope, ...span, weekFromMs },
  )
}

export type LossRow = { surface: string; reason: string; lost: number }

/** What SDKs say they had to drop. */
export function selectLoss(events: Events, scope: HealthScope, span: Span): Promise<LossRow[]> {
  return events.query<LossRow>(
    `SELECT surface, JSONExtractString(properties, 'reason') AS reason,
            sum(JSONExtractFloat(properties, 'count')) AS lost
     FROM events
     WHERE ${mine} AND name = 'sdk_loss' AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
     GROUP BY surface, reason`,
    { ...scope, ...span },
  )
}

/** Workspaces to which anything came since. */
export async function selectActive(events: Events, sinceMs: number): Promise<string[]> {
  const rows = await events.query<{ workspace_id: string }>(
    `SELECT DISTINCT workspace_id FROM verdicts WHERE hour >= ${hour('sinceMs')}`,
    { sinceMs },
  )
  return rows.map((row) => row.workspace_id)
}
