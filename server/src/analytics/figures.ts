import type { EventFilter } from '../store/event-filter.ts'
import type { Events } from '../store/events.ts'
import type { Interval } from './period.ts'
import {
  type Breakdowns,
  type QualityRow,
  type RevenueRow,
  type SeriesRow,
  selectBreakdowns,
  selectQuality,
  selectRevenue,
  selectSeries,
  selectTotals,
  type TotalsRow,
  type TwoPeriods,
} from './store.ts'

/** What an overview asks for. */
export type AskedFigures = {
  filter: EventFilter
  periods: TwoPeriods
  interval: Exclude<Interval, 'week'>
  /** Of the intervals of the present period. */
  starts: readonly number[]
  /** Of each breakdown. */
  rows: number
}

/** What an overview is made of, wherever it was counted. */
export type Figures = {
  totals: { current: TotalsRow; previous: TotalsRow }
  revenue: { current: RevenueRow[]; previous: RevenueRow[] }
  series: SeriesRow[]
  breakdowns: Breakdowns
  quality: QualityRow
}

/** All of it from the events. */
export async function readFigures(
  events: Events,
  { filter, periods, starts, rows }: AskedFigures,
): Promise<Figures> {
  const [totals, revenue, series, breakdowns, quality] = await Promise.all([
    selectTotals(events, filter, periods),
    selectRevenue(events, filter, periods, starts),
    selectSeries(events, filter, periods.current, starts),
    selectBreakdowns(events, filter, periods.current, rows),
    selectQuality(events, filter, periods.current),
  ])
  return { totals, revenue, series, breakdowns, quality }
}
