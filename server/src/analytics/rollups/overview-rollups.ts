import type { BreakdownRow } from '../breakdown-store.ts'
import type { RevenueRow, SeriesRow, TotalsRow } from '../store.ts'
import type { CurrentPeople } from '../tally/event-rows.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import { rowFlags } from '../tally/row-store.ts'
import { breakDownEvents, breakDownVisits, looseOf } from './breakdowns.ts'
import { revenueOf, seriesOf, toIntervals } from './interval-series.ts'
import { type JoinedVisits, joinVisits } from './joined-visits.ts'
import type { Crowd } from './key-rollup.ts'
import { countOwners } from './owners.ts'
import type { Part } from './part.ts'

type Breakdowns = Record<'pages' | 'sources' | 'countries' | 'devices' | 'events', BreakdownRow[]>

/** The figures of an overview, as the store's own statements give them. */
export type OverviewFigures = {
  totals: { current: TotalsRow; previous: TotalsRow }
  revenue: { current: RevenueRow[]; previous: RevenueRow[] }
  series: SeriesRow[]
  breakdowns: Breakdowns
}

/** Each part is in one of the periods, and a start of an interval is in the middle of no quarter of an hour in it. */
type OverviewParts = {
  previous: readonly Part[]
  current: readonly Part[]
  numbers: RowNumbers
  people: CurrentPeople
}

export type SeriesOptions = {
  /** Of the intervals of the current period. */
  starts: readonly number[]
  /** Rows of each breakdown. */
  breakdownRows: number
}

export function addUpOverview(
  { previous, current, numbers, people }: OverviewParts,
  { starts, breakdownRows: most }: SeriesOptions,
): OverviewFigures {
  const { texts } = numbers
  const crowd: Crowd = { ...people, sessions: numbers.sessions.size }
  const visits = joinVisits(current, numbers)
  const currencies = texts.currency.texts
  const ofEvents = (kind: 'pages' | 'events', name: 'path' | 'name') =>
    breakDownEvents(current, kind, texts[name].texts, crowd, most)
  const ofVisits = (name: 'source' | 'country' | 'device') =>
    breakDownVisits(current, visits, name, texts[name].texts, crowd, most)
  const intervals = toIntervals(starts)
  return {
    totals: {
      current: totalsOf(current, visits, numbers, crowd),
      previous: totalsOf(previous, joinVisits(previous, numbers), numbers, crowd),
    },
    revenue: {
      current: revenueOf(current, currencies, intervals),
      previous: revenueOf(previous, currencies, null),
    },
    series: seriesOf(current, intervals, crowd),
    breakdowns: {
      pages: ofEvents('pages', 'path'),
      events: ofEvents('events', 'name'),
      sources: ofVisits('source'),
      countries: ofVisits('country'),
      devices: ofVisits('device'),
    },
  }
}

/** A visit that spans both periods counts in each, with its events there. */
function totalsOf(
  parts: readonly Part[],
  visits: JoinedVisits,
  { texts }: RowNumbers,
  crowd: Crowd,
): TotalsRow {
  const total = { sessions: 0, pageviews: 0, events: 0, conversions: 0, bounced: 0, converted: 0 }
  let lengthMs = 0
  for (let place = 0; place < visits.places; place += 1) {
    if (visits.rows[place] === 0) continue
    total.sessions += 1
    const conversions = visits.conversions[place] ?? 0
    total.pageviews += visits.views[place] ?? 0
    total.events += visits.events[place] ?? 0
    total.conversions += conversions
    if ((visits.active[place] ?? 0) <= 1) total.bounced += 1
    if (conversions > 0) total.converted += 1
    lengthMs += (visits.lastMs[place] ?? 0) - (visits.firstMs[place] ?? 0)
  }
  const viewName = texts.name.texts.indexOf('$pageview')
  for (const { part, row } of looseOf(parts)) {
    const bits = part.chunk.flags[row] ?? 0
    if ((bits & rowFlags.conversion) !== 0) total.conversions += 1
    if ((bits & rowFlags.match) === 0) continue
    total.events += 1
    if (part.chunk.texts.name[row] === viewName) total.pageviews += 1
  }
  return { visitors: visitorsIn(parts, crowd), ...total, duration_ms: lengthMs }
}

/** Everyone with an event. */
function visitorsIn(parts: readonly Part[], crowd: Crowd): number {
  const lists = parts.map(({ rollup: { quarters } }) => ({
    ...quarters.people,
    keys: new Int32Array(quarters.keys.length),
  }))
  return countOwners(lists, 1, crowd.people, crowd.current)[0] ?? 0
}
