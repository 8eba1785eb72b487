import { dayMs } from '../../platform/units.ts'
import { type EventFilter, eventsOf, withoutPeople } from '../../store/event-filter.ts'
import { ofCurrentPeople } from '../../store/event-source.ts'
import type { Events, QueryParams } from '../../store/events.ts'
import { type Money, type MoneySql, moneySql } from '../../store/money.ts'
import { among } from '../occurrence-store.ts'
import { stageExpression } from './stage-store.ts'

/** How far back purchases determine a customer's value (algorithms §5.1). */
const historyDays = 365

/** The period that is asked for, and the one that it is compared with; nothing between them counts. */
export type ImpactScope = {
  filter: EventFilter
  previousFromMs: number
  previousToMs: number
  fromMs: number
  toMs: number
  money: Money
  /** Fingerprints of the only errors that are looked at; all where it is null. */
  only: readonly string[] | null
}

export type Source = {
  /** Events with their original people. */
  from: string
  /** Few rows of them with people as they are now. */
  asCurrent: (rows: string) => string
  money: MoneySql
  /** Which events are errors that are looked at. */
  isError: string
  params: QueryParams
}

/** Both statements read the history and the period from one source, so that one set of parameters serves them. */
export function sourceOf(scope: ImpactScope): Source {
  const { filter, previousFromMs, previousToMs, fromMs, toMs, money: site, only } = scope
  const historyMs = fromMs - historyDays * dayMs
  const { from, params } = eventsOf(withoutPeople(filter), { fromMs: historyMs, toMs })
  const money = moneySql(site)
  return {
    from,
    asCurrent: (rows) => ofCurrentPeople(rows, filter.readOverlays),
    money,
    isError: `name = 'error'${among(only)}`,
    params: {
      ...params,
      historyMs,
      previousFromMs,
      previousToMs,
      currentMs: fromMs,
      ...money.params,
      ...(only !== null && { onlyKeys: only }),
    },
  }
}

const inPeriod = (fromParameter: string) => `workspace_id = {workspaceId:String} AND site_id = {siteId:String}
          AND ts >= fromUnixTimestamp64Milli({${fromParameter}:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
          AND counted = 1 AND is_bot = 0`

/**
 * Numbers only: millions of sessions are processed at once, and a text takes as much memory as all the rest
 * of one.
 */
const deviceKey = 'cityHash64(toString(device))'
const cohortKey = 'cityHash64(toString(device), toString(country))'

/**
 * When each session began, first reached each stage, took each step and met each error; a time of 0 stands for never.
 * Times of steps count from its beginning, since many sessions are sorted by person at once.
 */
export const sessionsSql = ({ from, isError, money: { amount, isKnown } }: Source) => `
          SELECT session_key, any(event_person) AS person_key, argMin(event_cohort, ms) AS first_cohort,
                 min(ms) AS started_ms, minIf(ms, stage = 1) AS product_ms, minIf(ms, stage = 2) AS cart_ms,
                 minIf(ms, stage = 3 AND name != '$purchase') AS checkout_ms,
                 minIf(ms, name = '$purchase') AS bought_ms,
                 arraySort(arrayMap(step -> toUInt32(step - started_ms),
                                    groupArrayIf(ms, name NOT IN ('error', '$purchase')))) AS steps,
                 countIf(name != 'error') AS length,
                 groupArrayIf((error_key, ms), is_error) AS occurrences,
                 groupArrayIf((ms, paid), paid > 0) AS orders
          FROM (
            SELECT session_key, person_key AS event_person, (${deviceKey}, ${cohortKey}) AS event_cohort, name,
                   error_key, ${isError} AS is_error,
                   toUnixTimestamp64Milli(ts) AS ms, ${stageExpression} AS stage,
                   if(name = '$purchase' AND amount > 0 AND ${isKnown}, toFloat64(${amount}), 0.) AS paid
            FROM ${from} WHERE ${inPeriod('previousFromMs')} AND session_key != cityHash64('')
          ) GROUP BY session_key`

/** What the numbers stand for: devices, and devices with countries. */
export type Cohorts = { devices: ReadonlyMap<string, string>; texts: ReadonlyMap<string, string> }

export async function selectCohorts(events: Events, { from, params }: Source): Promise<Cohorts> {
  const rows = await events.query<{
    device_key: string
    cohort_key: string
    device_name: string
    country_name: string
  }>(
    `SELECT toString(${deviceKey}) AS device_key, toString(${cohortKey}) AS cohort_key, toString(device) AS device_name,
            toString(country) AS country_name
     FROM (SELECT device, country FROM ${from} WHERE ${inPeriod('previousFromMs')} GROUP BY device, country)`,
    params,
  )
  return {
    devices: new Map(rows.map(({ device_key, device_name }) => [device_key, device_name])),
    texts: new Map(
      rows.map(({ cohort_key, device_name, country_name }) => [cohort_key, `${device_name} ${country_name}`]),
    ),
  }
}
