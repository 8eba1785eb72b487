import type { Events } from '../../store/events.ts'
import type { OrderCell } from './order-value.ts'
import { type ImpactScope, inPeriod, type Source, sourceOf } from './session-store.ts'

type Count = string | number

/**
 * What everybody bought in the year before the period and in it, less what was given back: when, in which session, and
 * how much. A session or an order is valued by what lies before it.
 */
export const buyersSql = ({ from, money: { amount, isKnown }, asCurrent }: Source) => `
      SELECT person_key AS buyer, groupArray((ms, session_key, paid)) AS history
      FROM ${asCurrent(`
        SELECT person_key, session_key, toUnixTimestamp64Milli(ts) AS ms,
               toFloat64(if(name = '$refund', -(${amount}), ${amount})) AS paid
        FROM ${from}
        WHERE workspace_id = {workspaceId:String} AND site_id = {siteId:String}
          AND ts >= fromUnixTimestamp64Milli({historyMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
          AND counted = 1 AND is_bot = 0 AND name IN ('$purchase', '$subscribe', '$refund')
          AND amount IS NOT NULL AND ${isKnown} AND person_key != cityHash64('')`)}
      GROUP BY person_key`

/** Net revenue above which people are of high or of medium value. */
export type ValueLimits = { high: number; medium: number }

/**
 * What somebody must have bought for more than, to be among the top tenth or the top half of all who bought: the net
 * revenue of the next one. Nobody stands above others who bought for as much.
 */
export async function selectValueLimits(events: Events, scope: ImpactScope): Promise<ValueLimits> {
  const source = sourceOf(scope)
  const [row] = await events.query<{ high: Count; medium: Count }>(
    `SELECT if(ceil(buyers * 0.1) >= buyers, 0., nets[toUInt64(ceil(buyers * 0.1)) + 1]) AS high,
            if(ceil(buyers * 0.5) >= buyers, 0., nets[toUInt64(ceil(buyers * 0.5)) + 1]) AS medium
     FROM (SELECT arrayReverseSort(groupArray(net)) AS nets, length(nets) AS buyers
           FROM (SELECT round(arraySum(one -> one.3, history), 4) AS net FROM (${buyersSql(source)}) WHERE net > 0))`,
    source.params,
  )
  return { high: Number(row?.high ?? 0), medium: Number(row?.medium ?? 0) }
}

/** The segment by what was bought before. */
export const segmentOf = (
  net: string,
) => `multiIf(${net} <= 0, 'new_visitor', ${net} > {highLimit:Float64}, 'high_ltv',
                      ${net} > {mediumLimit:Float64}, 'medium_ltv', 'low_ltv')`

export const limitParams = ({ high, medium }: ValueLimits) => ({ highLimit: high, mediumLimit: medium })

/** Orders of the current period in the currency of the site. One huge order says little: the top 1 % is capped. */
export async function selectOrderCells(
  events: Events,
  scope: ImpactScope,
  limits: ValueLimits,
): Promise<OrderCell[]> {
  const source = sourceOf(scope)
  const { from, asCurrent, money, params } = source
  const orders = `SELECT person_key, session_key, toUnixTimestamp64Milli(ts) AS ms, toFloat64(${money.amount}) AS paid,
                         concat(toString(device), ' ', toString(country)) AS cohort
                  FROM ${from}
                  WHERE ${inPeriod('currentMs')} AND name = '$purchase' AND amount > 0
                    AND ${money.isKnown}`
  const isBefore = "one.1 < o.ms AND (one.2 != o.session_key OR one.2 = cityHash64(''))"
  const rows = await events.query<Record<string, Count>>(
    `WITH (SELECT quantileExact(0.99)(paid) FROM (${orders})) AS cap
     SELECT segment, if(segment = 'new_visitor', born_in, '') AS cohort_key,
            count() AS orders, sum(least(paid, cap)) AS total, sum(pow(least(paid, cap), 2)) AS squares
     FROM (
       SELECT o.paid AS paid, o.cohort AS born_in,
              round(arraySum(one -> if(${isBefore}, one.3, 0.), b.history), 4) AS net,
              ${segmentOf('net')} AS segment
       FROM ${asCurrent(orders)} AS o LEFT ANY JOIN (${buyersSql(source)}) AS b ON o.person_key = b.buyer
     ) GROUP BY segment, cohort_key`,
    { ...params, ...limitParams(limits) },
  )
  return rows.map((row) => ({
    segment: String(row.segment),
    cohort: String(row.cohort_key),
    orders: Number(row.orders),
    sum: Number(row.total),
    squares: Number(row.squares),
  }))
}
