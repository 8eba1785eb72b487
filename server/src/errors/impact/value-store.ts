import type { ValueSegment } from '@assay/contract'
import type { Count, Events } from '../../store/events.ts'
import type { OrderCell } from './order-value.ts'
import { type ImpactScope, type Source, sourceOf } from './session-store.ts'

/**
 * Every payment and refund in the year before the period and in it, with its person. A customer may have
 * thousands of them and as many sessions, so what was paid before each is a running total: a list per session
 * would take quadratic memory.
 */
const paymentsSql = ({ from, isChosen, isCounted, money: { amount, isKnown }, asCurrent }: Source) =>
  asCurrent(`
        SELECT person_key, session_key, toUnixTimestamp64Milli(ts) AS ms,
               toFloat64(if(name = '$refund', -(${amount}), ${amount})) AS paid,
               toUInt8(name = '$purchase' AND amount > 0 AND ${isChosen}
                       AND ts >= fromUnixTimestamp64Milli({currentMs:Int64})) AS is_order,
               concat(toString(device), ' ', toString(country)) AS cohort
        FROM ${from}
        WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
          AND ts >= fromUnixTimestamp64Milli({historyMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
          AND ${isCounted} AND name IN ('$purchase', '$subscribe', '$refund')
          AND amount IS NOT NULL AND ${isKnown}`)

const hasPerson = "person_key != cityHash64('')"

/** Total payments of everyone, less refunds, at each time of a payment. */
export const runningTotalsSql = (source: Source) => `
      SELECT person_key AS buyer, ms AS paid_ms,
             sum(sum(paid)) OVER (PARTITION BY person_key ORDER BY ms) AS total
      FROM ${paymentsSql(source)} WHERE ${hasPerson} GROUP BY person_key, ms`

/** What is read of every payment, in this order; `payments.ts` reads it again. Keys are 0 where there is none. */
export const paymentColumns = [
  ['person', 'UInt64'],
  ['session', 'UInt64'],
  ['ms', 'Float64'],
  ['paid', 'Float64'],
  ['is_order', 'UInt8'],
  ['cohort', 'LowCardinality(String)'],
] as const

export function selectPayments(events: Events, scope: ImpactScope, rowsMax: number): Promise<Buffer> {
  const source = sourceOf(scope)
  const columns: Record<(typeof paymentColumns)[number][0], string> = {
    person: `if(${hasPerson}, person_key, 0)`,
    session: "if(session_key = cityHash64(''), 0, session_key)",
    ms: 'toFloat64(ms)',
    paid: 'paid',
    is_order: 'assumeNotNull(is_order)',
    cohort: 'toLowCardinality(cohort)',
  }
  return events.bytes(
    `SELECT ${paymentColumns.map(([name]) => `${columns[name]} AS payment_${name}`).join(', ')}
     FROM ${paymentsSql(source)}
     SETTINGS max_result_rows = ${rowsMax}, result_overflow_mode = 'throw' FORMAT Native`,
    source.params,
  )
}

/** Net revenue above which people are of high or of medium value. */
export type ValueLimits = { high: number; medium: number }

/**
 * The revenue that a customer must exceed to be in the top tenth or the top half of all customers: the net
 * revenue of the next one. Customers with equal revenue rank equally.
 */
export async function selectValueLimits(events: Events, scope: ImpactScope): Promise<ValueLimits> {
  const source = sourceOf(scope)
  const [row] = await events.query<{ high: Count; medium: Count }>(
    `SELECT if(ceil(buyers * 0.1) >= buyers, 0., nets[toUInt64(ceil(buyers * 0.1)) + 1]) AS high,
            if(ceil(buyers * 0.5) >= buyers, 0., nets[toUInt64(ceil(buyers * 0.5)) + 1]) AS medium
     FROM (SELECT arrayReverseSort(groupArray(net)) AS nets, length(nets) AS buyers
           FROM (SELECT round(sum(paid), 4) AS net FROM ${paymentsSql(source)} WHERE ${hasPerson}
                 GROUP BY person_key HAVING net > 0))`,
    source.params,
  )
  return { high: Number(row?.high ?? 0), medium: Number(row?.medium ?? 0) }
}

/** The segment by what was bought before. */
export function segmentBy(net: number, { high, medium }: ValueLimits): ValueSegment {
  if (net <= 0) return 'new_visitor'
  if (net > high) return 'high_ltv'
  return net > medium ? 'medium_ltv' : 'low_ltv'
}

/** The same as SQL. */
export const segmentOf = (
  net: string,
) => `multiIf(${net} <= 0, 'new_visitor', ${net} > {highLimit:Float64}, 'high_ltv',
                      ${net} > {mediumLimit:Float64}, 'medium_ltv', 'low_ltv')`

export const limitParams = ({ high, medium }: ValueLimits) => ({ highLimit: high, mediumLimit: medium })

/**
 * Orders of chosen visits of the current period, in the currency of the site. One huge order says little: the top
 * 1 % is capped.
 */
export async function selectOrderCells(
  events: Events,
  scope: ImpactScope,
  limits: ValueLimits,
): Promise<OrderCell[]> {
  const source = sourceOf(scope)
  const paidBefore = (partition: string, amount: string) =>
    `sum(${amount}) OVER (PARTITION BY ${partition} ORDER BY ms RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`
  const rows = await events.query<Record<string, Count>>(
    `SELECT segment, if(segment = 'new_visitor', cohort, '') AS cohort_key,
            count() AS orders, sum(least(paid, cap)) AS total, sum(pow(least(paid, cap), 2)) AS squares
     FROM (
       SELECT paid, cohort, is_order, quantileExactIf(0.99)(paid, is_order) OVER () AS cap,
              ${paidBefore('person_key', 'paid')} AS paid_before,
              ${paidBefore('person_key, session_key', "if(session_key = cityHash64(''), 0., paid)")} AS paid_in_session,
              if(${hasPerson}, round(paid_before - paid_in_session, 4), 0.) AS net,
              ${segmentOf('net')} AS segment
       FROM ${paymentsSql(source)}
     ) WHERE is_order GROUP BY segment, cohort_key`,
    { ...source.params, ...limitParams(limits) },
  )
  return rows.map((row) => ({
    segment: String(row.segment),
    cohort: String(row.cohort_key),
    orders: Number(row.orders),
    sum: Number(row.total),
    squares: Number(row.squares),
  }))
}
