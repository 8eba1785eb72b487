import { dayMs } from '../../platform/units.ts'
import {
  type EventFilter,
  eventsOf,
  hasSession,
  isFiltered,
  withoutPeople,
} from '../../store/event-filter.ts'
import { ofCurrentPeople } from '../../store/event-source.ts'
import type { Events, QueryParams } from '../../store/events.ts'
import { renamed } from '../../store/filters/binder.ts'
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
  /** Which events belong to visits that the filter chooses. */
  isChosen: string
  isCounted: string
  params: QueryParams
}

/** Both statements read the history and the period from one source, so that one set of parameters serves them. */
export function sourceOf(scope: ImpactScope): Source {
  const { filter, previousFromMs, previousToMs, fromMs, toMs, money: site, only } = scope
  const historyMs = fromMs - historyDays * dayMs
  const { from, params } = eventsOf(withoutPeople(everyVisit(filter)), { fromMs: historyMs, toMs })
  const money = moneySql(site)
  const chosen = chosenVisits(scope)
  return {
    from,
    isChosen: chosen.sql,
    isCounted: filter.includeBots ? 'counted = 1' : 'counted = 1 AND is_bot = 0',
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
      ...chosen.params,
      ...(only !== null && { onlyKeys: only }),
    },
  }
}

/** What a customer bought before, and whether one came before, does not depend on the visits that are looked at. */
const everyVisit = (filter: EventFilter): EventFilter => ({ ...filter, filters: undefined })

/** A session, or an event without one. */
const visitKey = `(${hasSession}, if(${hasSession}, session_key, event_key))`

/** Visits of which at least one event fits the filter. Each of the two periods has its own, as in every other read. */
function chosenVisits({ filter, previousFromMs, previousToMs, fromMs, toMs }: ImpactScope) {
  if (!isFiltered(filter)) return { sql: '1', params: {} }
  const border = { endMs: previousToMs, startMs: fromMs }
  const { from, where, params } = eventsOf(withoutPeople(filter), { fromMs: previousFromMs, toMs, border })
  const sql = `${visitKey} IN (SELECT ${visitKey} FROM ${from} WHERE ${where})`
  return renamed({ sql, params }, 'chosen', ['sql'])
}

const inPeriod = (
  fromParameter: string,
  isCounted: string,
) => `workspace_id = {workspaceId:String} AND site_id = {siteId:String}
          AND ts >= fromUnixTimestamp64Milli({${fromParameter}:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
          AND ${isCounted}`

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
export const sessionsSql = ({ from, isError, isChosen, isCounted, money: { amount, isKnown } }: Source) => `
          SELECT session_key, max(event_chosen) AS is_chosen, any(event_person) AS person_key,
                 argMin(event_cohort, ms) AS first_cohort,
                 min(ms) AS started_ms, minIf(ms, stage = 1) AS product_ms, minIf(ms, stage = 2) AS cart_ms,
                 minIf(ms, stage = 3 AND name != '$purchase') AS checkout_ms,
                 minIf(ms, name = '$purchase') AS bought_ms,
                 arraySort(arrayMap(step -> toUInt32(step - started_ms),
                                    groupArrayIf(ms, name NOT IN ('error', '$purchase')))) AS steps,
                 countIf(name != 'error') AS length,
                 groupArrayIf((error_key, ms), is_error) AS occurrences,
                 groupArrayIf((ms, paid), paid > 0) AS orders
          FROM (
            SELECT session_key, ${isChosen} AS event_chosen, person_key AS event_person,
                   (${deviceKey}, ${cohortKey}) AS event_cohort, name, error_key, ${isError} AS is_error,
                   toUnixTimestamp64Milli(ts) AS ms, ${stageExpression} AS stage,
                   if(name = '$purchase' AND amount > 0 AND ${isKnown}, toFloat64(${amount}), 0.) AS paid
            FROM ${from} WHERE ${inPeriod('previousFromMs', isCounted)} AND session_key != cityHash64('')
          ) GROUP BY session_key`

/** What the numbers stand for: devices, and devices with countries. */
export type Cohorts = { devices: ReadonlyMap<string, string>; texts: ReadonlyMap<string, string> }

export async function selectCohorts(events: Events, { from, isCounted, params }: Source): Promise<Cohorts> {
  const rows = await events.query<{
    device_key: string
    cohort_key: string
    device_name: string
    country_name: string
  }>(
    `SELECT toString(${deviceKey}) AS device_key, toString(${cohortKey}) AS cohort_key, toString(device) AS device_name,
            toString(country) AS country_name
     FROM (SELECT device, country FROM ${from}
           WHERE ${inPeriod('previousFromMs', isCounted)} GROUP BY device, country)`,
    params,
  )
  return {
    devices: new Map(rows.map(({ device_key, device_name }) => [device_key, device_name])),
    texts: new Map(
      rows.map(({ cohort_key, device_name, country_name }) => [cohort_key, `${device_name} ${country_name}`]),
    ),
  }
}
