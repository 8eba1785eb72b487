import type { MilestoneKey } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { type EventFilter, eventsOf, type TimeRange } from '../store/event-filter.ts'
import type { Count, Events } from '../store/events.ts'
import { type Money, moneySql } from '../store/money.ts'

export type Totals = Record<MilestoneKey, number>
export type Reached = { key: MilestoneKey; threshold: number; reachedMs: number }
export type Counted = {
  countedAt: Date
  /** Null where it was counted before this was noted. */
  dataUntil: Date | null
  totals: Totals
  reached: readonly Reached[]
}

type CountedRow = { counted_at: Date; data_until: Date | null; totals: Totals; reached: Reached[] }

export async function selectCounted(sql: Sql, workspaceId: string, siteId: string): Promise<Counted | null> {
  const [row] = await sql.query<CountedRow>(
    'SELECT counted_at, data_until, totals, reached FROM site_milestones WHERE workspace_id = $1 AND site_id = $2',
    [workspaceId, siteId],
  )
  if (row === undefined) return null
  const { counted_at: countedAt, data_until: dataUntil, totals, reached } = row
  return { countedAt, dataUntil, totals, reached }
}

/** Reached milestones, locked until the transaction ends. */
export async function lockReached(
  sql: Sql,
  workspaceId: string,
  siteId: string,
): Promise<readonly Reached[]> {
  const [row] = await sql.query<{ reached: Reached[] }>(
    'SELECT reached FROM site_milestones WHERE workspace_id = $1 AND site_id = $2 FOR UPDATE',
    [workspaceId, siteId],
  )
  return row?.reached ?? []
}

export async function upsertCounted(
  sql: Sql,
  workspaceId: string,
  siteId: string,
  { countedAt, dataUntil, totals, reached }: Counted,
): Promise<void> {
  await sql.query(
    `INSERT INTO site_milestones (workspace_id, site_id, counted_at, data_until, totals, reached)
     VALUES ($1, $2, $3, $4, $5::json, $6::json)
     ON CONFLICT (workspace_id, site_id) DO UPDATE
       SET counted_at = excluded.counted_at, data_until = excluded.data_until, totals = excluded.totals,
           reached = excluded.reached`,
    [workspaceId, siteId, countedAt, dataUntil, JSON.stringify(totals), JSON.stringify(reached)],
  )
}

type StepRow = { key: string; threshold: number; reachedMs: number; total: number }

/**
 * Of each count the total, and when it came to each rung of the ladder; a threshold of 0 stands for the total alone.
 * People by their first event, the others one by one, revenue as it adds up.
 */
export async function selectSteps(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  money: Money,
  counts: readonly number[],
  amounts: readonly number[],
): Promise<StepRow[]> {
  const { from, where, params } = eventsOf(filter, range)
  const { amount, isKnown, params: moneyParams } = moneySql(money)
  const rows = await events.query<{ key: string; threshold: Count; reached_ms: Count; total: Count }>(
    `SELECT key, arrayJoin(arrayConcat([0.], if(key = 'revenue', {amounts:Array(Float64)}, {counts:Array(Float64)})))
              AS threshold,
            toUnixTimestamp64Milli(minIf(at, value >= threshold)) AS reached_ms, argMax(value, place) AS total
     FROM (
       SELECT 'visitors' AS key, first_ts AS at, row_number() OVER (ORDER BY first_ts) AS place,
              toFloat64(place) AS value
       FROM (
         SELECT min(ts) AS first_ts FROM ${from}
         WHERE ${where} AND person_key != cityHash64('') GROUP BY person_key
       )
       UNION ALL
       SELECT transform(toString(name), ['$signup', '$purchase', '$subscribe'], ['signups', 'orders', 'subscriptions'],
                        '') AS key,
              ts, row_number() OVER (PARTITION BY name ORDER BY ts, arrival, event_id) AS place, toFloat64(place)
       FROM ${from} WHERE ${where} AND name IN ('$signup', '$purchase', '$subscribe')
       UNION ALL
       SELECT 'revenue', ts, row_number() OVER (ORDER BY ts, arrival, event_id) AS place,
              toFloat64(sum(if(name = '$refund', -${amount}, ${amount}))
                        OVER (ORDER BY ts, arrival, event_id ROWS UNBOUNDED PRECEDING))
       FROM ${from}
       WHERE ${where} AND name IN ('$purchase', '$subscribe', '$refund') AND amount IS NOT NULL
         AND ${isKnown}
     ) GROUP BY key, threshold HAVING threshold = 0 OR max(value) >= threshold`,
    { ...params, ...moneyParams, counts, amounts },
  )
  return rows.map(({ key, threshold, reached_ms, total }) => ({
    key,
    threshold: Number(threshold),
    reachedMs: Number(reached_ms),
    total: Number(total),
  }))
}
