import type { Events } from '../../store/events.ts'
import { groupParams } from '../occurrence-store.ts'
import { pathsSql } from './landmark-store.ts'
import { type ImpactScope, sourceOf } from './session-store.ts'

/** Orders whose amounts can be converted to the currency of the site, and their sum. */
export type OrderSum = { orders: number; revenue: number }

const none: OrderSum = { orders: 0, revenue: 0 }

/**
 * What was ordered in the current period after the error by sessions that had not bought before it; and by sessions
 * that never met it but stood in one of these cells, which are those where the error met the others.
 */
export async function selectOrderSides(
  events: Events,
  scope: ImpactScope,
  cells: readonly number[],
): Promise<{ withError: OrderSum; without: OrderSum }> {
  const source = sourceOf(scope)
  const rows = await events.query<Record<string, string | number>>(
    `SELECT has_error, sum(length(counted_orders)) AS orders, sum(arraySum(one -> one.2, counted_orders)) AS revenue
     FROM (
       SELECT arrayMin(errors.2) AS hit_ms, notEmpty(errors.1) AS has_error,
              arrayFilter(one -> NOT has_error OR one.1 > hit_ms, orders) AS counted_orders
       FROM (${pathsSql(source)})
       WHERE is_now = 1 AND notEmpty(orders)
         AND if(has_error, bought_ms > hit_ms, hasAny(cells, {cells:Array(UInt16)}))
     ) GROUP BY has_error`,
    { ...source.params, ...groupParams({ keys: [], groups: [] }), cells },
  )
  const sideOf = (flag: number): OrderSum => {
    const row = rows.find(({ has_error }) => Number(has_error) === flag)
    return row === undefined ? none : { orders: Number(row.orders), revenue: Number(row.revenue) }
  }
  return { withError: sideOf(1), without: sideOf(0) }
}
