import { type EventFilter, eventsOf, type TimeRange, withoutPeople } from '../store/event-filter.ts'
import { ofCurrentPeople } from '../store/event-source.ts'
import type { Events, QueryParams } from '../store/events.ts'
import { type Money, type MoneySql, moneySql } from '../store/money.ts'
import { type GroupMap, groupExpression, groupParams } from './occurrence-store.ts'
import { stageExpression } from './stage-store.ts'

type Count = string | number
const dayMs = 86_400_000
/** How far back what people bought tells their value (algorithms §5.1). */
const historyDays = 365

/** The period that is asked for, and where the one before it begins. */
export type ImpactScope = {
  filter: EventFilter
  previousFromMs: number
  fromMs: number
  toMs: number
  money: Money
}

/**
 * Everybody who bought something in the year before the period, by net revenue, as shares of them all: the top tenth,
 * the next four, the rest. Who bought first stands before who bought as much later.
 */
const segmentsSql = ({ from, money: { amount, isKnown }, asCurrent }: Source) => `
      SELECT person_key AS buyer, multiIf(place <= ceil(buyers * 0.1), 'high_ltv',
                                          place <= ceil(buyers * 0.5), 'medium_ltv', 'low_ltv') AS segment
      FROM (
        SELECT person_key, row_number() OVER (ORDER BY net DESC, first_order, person_key) AS place,
               count() OVER () AS buyers
        FROM (
          SELECT person_key, sum(if(is_refund, -paid, paid)) AS net, minIf(ts, NOT is_refund) AS first_order
          FROM ${asCurrent(`
            SELECT person_key, ts, name = '$refund' AS is_refund, ${amount} AS paid
            FROM ${from}
            WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
              AND ts >= fromUnixTimestamp64Milli({historyMs:Int64}) AND ts < fromUnixTimestamp64Milli({currentMs:Int64})
              AND counted = 1 AND is_bot = 0 AND name IN ('$purchase', '$subscribe', '$refund')
              AND amount IS NOT NULL AND ${isKnown} AND person_key != cityHash64('')`)}
          GROUP BY person_key HAVING net > 0
        )
      )`

type Source = {
  /** Events with people as they were born. */
  from: string
  /** Few rows of them with people as they are now. */
  asCurrent: (rows: string) => string
  money: MoneySql
  params: QueryParams
}

/** Both statements read the history and the period from one source, so that one set of parameters serves them. */
function sourceOf({ filter, fromMs, toMs, money: site }: ImpactScope): Source {
  const historyMs = fromMs - historyDays * dayMs
  const { from, params } = eventsOf(withoutPeople(filter), { fromMs: historyMs, toMs })
  const money = moneySql(site)
  return {
    from,
    asCurrent: (rows) => ofCurrentPeople(rows, filter.laid),
    money,
    params: { ...params, historyMs, currentMs: fromMs, ...money.params },
  }
}

const inPeriod = (fromParameter: string) => `workspace_id = {workspaceId:String} AND site_id = {siteId:String}
          AND ts >= fromUnixTimestamp64Milli({${fromParameter}:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
          AND counted = 1 AND is_bot = 0`

/** Sessions that are alike in everything that matters for what an error cost them. */
export type SessionCell = {
  /** Empty: all sessions, whether or not an error met them. */
  groupId: string
  isCurrent: boolean
  device: string
  isReturning: boolean
  /** The furthest stage of the whole session. */
  reached: number
  /** The furthest stage when the error came; 4 when everything was bought already. */
  at: number
  segment: string
  cohort: string
  sessions: number
  /** Bought something at all. */
  converted: number
  /** Bought something after the error. */
  convertedAfter: number
}

/**
 * Every session once for all, and once more for each group of errors that met it, by its first occurrence there.
 * A time of 0 stands for never.
 */
function hitsSql(source: Source): string {
  return `
      SELECT session_key, person, c.first_device AS first_device, c.cohort AS cohort, is_now, is_back, bought_ms,
             multiIf(bought_ms > 0 OR checkout_ms > 0, 3, cart_ms > 0, 2, product_ms > 0, 1, 0) AS reached,
             arrayReduce('minMap', arrayMap(error_key -> [${groupExpression}], occurrences.1),
                         arrayMap(ms -> [ms], occurrences.2)) AS errors,
             arrayJoin(arrayConcat([('', toInt64(0))], arrayZip(errors.1, errors.2))) AS hit,
             hit.1 AS group_id, hit.2 AS hit_ms,
             multiIf(hit_ms = 0, 0, bought_ms > 0 AND bought_ms < hit_ms, 4,
                     checkout_ms > 0 AND checkout_ms <= hit_ms, 3, cart_ms > 0 AND cart_ms <= hit_ms, 2,
                     product_ms > 0 AND product_ms <= hit_ms, 1, 0) AS at
      FROM (
        SELECT * EXCEPT (person_key), person_key AS person, toUInt8(started_ms >= {currentMs:Int64}) AS is_now,
               toUInt8(min(started_ms) OVER (PARTITION BY person_key) < started_ms) AS is_back
        FROM ${source.asCurrent(sessionsSql(source))}
      ) AS s LEFT ANY JOIN (${cohortsSql(source)}) AS c ON s.cohort_hash = c.cohort_hash`
}

/** Numbers only: millions of sessions are put together at once, and a text takes as much room as all else of one. */
const cohortHash = 'cityHash64(toString(device), toString(country))'

/** When each session began, first reached each stage and met each error. */
const sessionsSql = ({ from }: Source) => `
          SELECT session_key, any(born_to) AS person_key, argMin(born_in, ms) AS cohort_hash,
                 min(ms) AS started_ms, minIf(ms, stage = 1) AS product_ms, minIf(ms, stage = 2) AS cart_ms,
                 minIf(ms, stage = 3 AND name != '$purchase') AS checkout_ms,
                 minIf(ms, name = '$purchase') AS bought_ms,
                 groupArrayIf((error_key, ms), name = 'error') AS occurrences
          FROM (
            SELECT session_key, person_key AS born_to, ${cohortHash} AS born_in, name, error_key,
                   toUnixTimestamp64Milli(ts) AS ms, ${stageExpression} AS stage
            FROM ${from} WHERE ${inPeriod('previousFromMs')} AND session_key != cityHash64('')
          ) GROUP BY session_key`

const cohortsSql = ({ from }: Source) => `
        SELECT ${cohortHash} AS cohort_hash, toString(device) AS first_device,
               concat(toString(device), ' ', toString(country)) AS cohort
        FROM (SELECT device, country FROM ${from} WHERE ${inPeriod('previousFromMs')} GROUP BY device, country)`

/** Cells of sessions, and beside them how many people of each segment every group met in the current period. */
export async function selectSessionCells(
  events: Events,
  scope: ImpactScope,
  map: GroupMap,
): Promise<{ cells: SessionCell[]; users: { groupId: string; segment: string; users: number }[] }> {
  const source = sourceOf(scope)
  const keys = 'first_device, is_back, reached, at, cohort_key'
  const rows = await events.query<Record<string, Count>>(
    `SELECT group_id, is_now, value, first_device, is_back, reached, at, cohort_key,
            grouping(first_device) AS is_total, count() AS sessions, countIf(bought_ms > 0) AS converted,
            countIf(bought_ms > 0 AND bought_ms >= hit_ms) AS converted_after,
            uniqExactIf(person, group_id != '') AS users
     FROM (
       SELECT h.*, if(s.segment = '', 'new_visitor', s.segment) AS value,
              if(h.group_id != '' AND s.segment = '', h.cohort, '') AS cohort_key
       FROM (${hitsSql(source)}) AS h LEFT ANY JOIN (${segmentsSql(source)}) AS s ON h.person = s.buyer
     )
     GROUP BY GROUPING SETS ((group_id, is_now, value), (group_id, is_now, value, ${keys}))`,
    { ...source.params, ...groupParams(map), previousFromMs: scope.previousFromMs },
  )
  const total = (row: Record<string, Count>) => Number(row.is_total) === 1
  return {
    cells: rows.filter((row) => !total(row)).map(toCell),
    users: rows
      .filter((row) => total(row) && row.group_id !== '' && Number(row.is_now) === 1)
      .map((row) => ({
        groupId: String(row.group_id),
        segment: String(row.value),
        users: Number(row.users),
      })),
  }
}

function toCell(row: Record<string, Count>): SessionCell {
  return {
    groupId: String(row.group_id),
    isCurrent: Number(row.is_now) === 1,
    device: String(row.first_device),
    isReturning: Number(row.is_back) === 1,
    reached: Number(row.reached),
    at: Number(row.at),
    segment: String(row.value),
    cohort: String(row.cohort_key),
    sessions: Number(row.sessions),
    converted: Number(row.converted),
    convertedAfter: Number(row.converted_after),
  }
}

export type OrderCell = { segment: string; cohort: string; orders: number; sum: number; squares: number }

/** Orders of the current period in the currency of the site. One huge order says little: the top 1 % is capped. */
export async function selectOrderCells(events: Events, scope: ImpactScope): Promise<OrderCell[]> {
  const source = sourceOf(scope)
  const { from, asCurrent, money, params } = source
  const orders = `SELECT person_key, toFloat64(${money.amount}) AS paid,
                         concat(toString(device), ' ', toString(country)) AS cohort
                  FROM ${from}
                  WHERE ${inPeriod('currentMs')} AND name = '$purchase' AND amount > 0
                    AND ${money.isKnown}`
  const rows = await events.query<Record<string, Count>>(
    `WITH (SELECT quantileExact(0.99)(paid) FROM (${orders})) AS cap
     SELECT if(s.segment = '', 'new_visitor', s.segment) AS value, if(s.segment = '', o.cohort, '') AS cohort_key,
            count() AS orders, sum(least(o.paid, cap)) AS total, sum(pow(least(o.paid, cap), 2)) AS squares
     FROM ${asCurrent(orders)} AS o LEFT ANY JOIN (${segmentsSql(source)}) AS s ON o.person_key = s.buyer
     GROUP BY value, cohort_key`,
    params,
  )
  return rows.map((row) => ({
    segment: String(row.value),
    cohort: String(row.cohort_key),
    orders: Number(row.orders),
    sum: Number(row.total),
    squares: Number(row.squares),
  }))
}

export type OrderSideRow = { sessions: number; converted: number; orders: number; revenue: number }
const noSide: OrderSideRow = { sessions: 0, converted: 0, orders: 0, revenue: 0 }

/** Sessions with any of these errors, and all others, by what was bought in them. */
export async function selectOrderSides(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  money: Money,
  keys: readonly string[],
): Promise<{ withError: OrderSideRow; without: OrderSideRow }> {
  const { from, where, params } = eventsOf(withoutPeople(filter), range)
  const { amount, isKnown, params: moneyParams } = moneySql(money)
  const rows = await events.query<Record<string, Count>>(
    `SELECT toUInt8(has_error) AS has_error, count() AS sessions, countIf(bought > 0) AS converted,
            sum(orders) AS orders, sum(paid) AS revenue
     FROM (
       SELECT countIf(name = 'error' AND lower(leftPad(hex(error_key), 16, '0')) IN {keys:Array(String)}) > 0
                AS has_error,
              countIf(name = '$purchase') AS bought,
              countIf(name = '$purchase' AND amount > 0 AND ${isKnown}) AS orders,
              sumIf(toFloat64(${amount}), name = '$purchase' AND amount > 0 AND ${isKnown}) AS paid
       FROM ${from} WHERE ${where} AND session_key != cityHash64('') GROUP BY session_key
     ) GROUP BY has_error`,
    { ...params, ...moneyParams, keys },
  )
  const sideOf = (flag: number): OrderSideRow => {
    const row = rows.find((one) => Number(one.has_error) === flag)
    if (row === undefined) return noSide
    const { sessions, converted, orders, revenue } = row
    return {
      sessions: Number(sessions),
      converted: Number(converted),
      orders: Number(orders),
      revenue: Number(revenue),
    }
  }
  return { withError: sideOf(1), without: sideOf(0) }
}
