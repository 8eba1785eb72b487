import type { Count, Events } from '../../store/events.ts'
import { type HealthScope, hour, mine, type Span } from './measures.ts'

export type IssueRow = {
  site_id: string
  name: string
  code: string
  now: Count
  earlier: Count
  repeats_now: Count
  repeats_earlier: Count
}

/** Arrivals by their worst issue, of the last day and of the time before it. */
export function selectIssues(
  events: Events,
  scope: HealthScope,
  span: Span,
  nowFromMs: number,
): Promise<IssueRow[]> {
  return events.query<IssueRow>(
    `SELECT site_id, name, code, sumIf(events, hour >= ${hour('nowFromMs')}) AS now,
            sumIf(events, hour < ${hour('nowFromMs')}) AS earlier,
            sumIf(duplicates, hour >= ${hour('nowFromMs')}) AS repeats_now,
            sumIf(duplicates, hour < ${hour('nowFromMs')}) AS repeats_earlier
     FROM verdicts
     WHERE ${mine} AND name != '' AND hour >= ${hour('fromMs')} AND hour < ${hour('toMs')}
     GROUP BY site_id, name, code`,
    { ...scope, ...span, nowFromMs },
  )
}

export type QuarantinedRow = {
  workspace_id: string
  site_id: string
  /** Empty for all events of the site together. */
  event_name: string
  held: Count
  arrived: Count
}

/** Quarantined arrivals since an hour, by event and for each site as a whole. */
export function selectHeld(
  events: Events,
  workspaceIds: readonly string[],
  sinceMs: number,
  namesMax: number,
): Promise<QuarantinedRow[]> {
  return events.query<QuarantinedRow>(
    `SELECT workspace_id, site_id, event_name, sumIf(events, outcome = 'quarantine') AS held, sum(events) AS arrived
     FROM verdicts
     ARRAY JOIN if(name = '', [''], [toString(name), '']) AS event_name
     WHERE workspace_id IN {workspaceIds:Array(String)} AND hour >= ${hour('sinceMs')}
     GROUP BY workspace_id, site_id, event_name HAVING held > 0
     ORDER BY held DESC, event_name LIMIT {namesMax:UInt32} BY workspace_id`,
    { workspaceIds, sinceMs, namesMax },
  )
}
