import { segments, type ValueSegment } from '@assay/contract'
import { type Interval, meanInterval } from './interval.ts'

export type OrderCell = { segment: string; cohort: string; orders: number; sum: number; squares: number }

/** What an order is worth, by who would have placed it. */
export type Segments = {
  valueOf: (segment: ValueSegment, sessions: readonly { cohort: string; sessions: number }[]) => number
  /** The 90 % interval of the average order, as shares of it. */
  spread: Interval
}

/** A segment with fewer orders is given the average of the site (algorithms §5.1). */
const ordersMin = 30
/** So many orders of an average value are added to those of a cohort: few orders move it little. */
const priorOrders = 20

export function orderValues(cells: readonly OrderCell[]): Segments {
  const all = totalOf(cells)
  const average = all.orders === 0 ? 0 : all.sum / all.orders
  const variance = all.orders === 0 ? 0 : Math.max(0, all.squares / all.orders - average ** 2)
  const ofSite = meanInterval(average, variance, all.orders)
  const bySegment = new Map(
    segments.map((segment) => {
      const own = totalOf(cells.filter((cell) => cell.segment === segment))
      return [segment, own.orders >= ordersMin ? own.sum / own.orders : average]
    }),
  )
  const cohorts = Map.groupBy(
    cells.filter((cell) => cell.segment === 'new_visitor'),
    (cell) => cell.cohort,
  )
  const newcomers = bySegment.get('new_visitor') ?? average
  /** People without a purchase are projected from similar customers: the same device and country. */
  const projected = (cohort: string) => {
    const own = totalOf(cohorts.get(cohort) ?? [])
    return (own.sum + priorOrders * newcomers) / (own.orders + priorOrders)
  }
  return {
    spread: average === 0 ? { low: 1, high: 1 } : { low: ofSite.low / average, high: ofSite.high / average },
    valueOf(segment, sessions) {
      const value = bySegment.get(segment) ?? average
      const count = sessions.reduce((total, cell) => total + cell.sessions, 0)
      if (segment !== 'new_visitor' || count === 0) return value
      return sessions.reduce((total, cell) => total + cell.sessions * projected(cell.cohort), 0) / count
    },
  }
}

function totalOf(cells: readonly OrderCell[]): { orders: number; sum: number; squares: number } {
  const total = { orders: 0, sum: 0, squares: 0 }
  for (const { orders, sum, squares } of cells) {
    total.orders += orders
    total.sum += sum
    total.squares += squares
  }
  return total
}
