import { isFiltered } from '../../store/event-filter.ts'
import { eventSource } from '../../store/event-source.ts'
import type { Count, Events } from '../../store/events.ts'
import type { AskedFigures, Figures } from '../figures.ts'
import { dimensionNames, noBreakdowns, noTotals, type TotalsRow } from '../store.ts'
import { type Day, daysIn, rangesBetween, validDays } from './days.ts'
import {
  selectSummedQuality,
  selectSummedRevenue,
  selectUnits,
  selectVisits,
  type UnitRow,
  type VisitRow,
} from './figures-store.ts'
import { selectBuilt } from './read-store.ts'
import type { Sources } from './source-store.ts'

/** Each is a condition of its own in each statement; a history with more gaps is read from the events. */
const openRangesMax = 40

/**
 * The figures of an overview from days that are summed up, and from events of the time between them; null where the
 * events are to be asked. Days that changed meanwhile would have been counted partly before and partly after.
 */
export async function readSummed(events: Events, asked: AskedFigures): Promise<Figures | null> {
  if (!isSummable(asked)) return null
  const days = await selectValidDays(events, asked)
  if (days.length === 0) return null
  const sources = sourcesOf(asked, days)
  if (sources.open.length > openRangesMax) return null
  const figures = await selectFigures(events, asked, sources)
  const still = new Set((await selectValidDays(events, asked)).map(({ run }) => run))
  return days.every(({ run }) => still.has(run)) ? figures : null
}

/** Days count what an overview without filters counts, and nothing may lie over the events but merges. */
function isSummable({ filter, periods, interval }: AskedFigures): boolean {
  if (interval === 'hour' || filter.includeBots || isFiltered(filter)) return false
  const { workspaceId, siteId } = filter
  const scope = { workspaceId, siteId, fromMs: periods.previous.fromMs, toMs: periods.current.toMs }
  return eventSource({ ...filter.readOverlays, hasMerges: false }, scope).from === 'events'
}

async function selectValidDays(events: Events, { filter, periods }: AskedFigures) {
  const { current, previous } = periods
  const span = { fromMs: previous.fromMs, toMs: current.toMs }
  const { built, changes } = await selectBuilt(events, filter, span)
  return built.length === 0 ? [] : validDays([...daysIn(previous), ...daysIn(current)], built, changes)
}

function sourcesOf({ filter, periods }: AskedFigures, days: readonly (Day & { run: number })[]): Sources {
  const { current, previous } = periods
  const within = (period: Day) => days.filter((day) => day.fromMs >= period.fromMs && day.toMs <= period.toMs)
  return {
    workspaceId: filter.workspaceId,
    siteId: filter.siteId,
    runs: days.map(({ run }) => run),
    open: [...rangesBetween(previous, within(previous)), ...rangesBetween(current, within(current))],
    currentFromMs: current.fromMs,
    hasMerges: filter.readOverlays.hasMerges,
  }
}

async function selectFigures(
  events: Events,
  { periods, starts, rows }: AskedFigures,
  sources: Sources,
): Promise<Figures> {
  const [units, visits, revenue, quality] = await Promise.all([
    selectUnits(events, sources, starts, rows),
    selectVisits(events, sources),
    selectSummedRevenue(events, sources, starts),
    selectSummedQuality(events, sources, periods.current),
  ])
  const isOf = (flag: number) => (row: { is_current: Count }) => Number(row.is_current) === flag
  return {
    totals: {
      current: totalsOf(units, 'current', visits.find(isOf(1))),
      previous: totalsOf(units, 'previous', visits.find(isOf(0))),
    },
    revenue: { current: revenue.filter(isOf(1)), previous: revenue.filter(isOf(0)) },
    series: units.filter(({ unit }) => unit === 'interval').map((row) => ({ ...row, bucket: row.value })),
    breakdowns: breakdownsOf(units),
    quality,
  }
}

function totalsOf(units: readonly UnitRow[], name: string, visits: VisitRow | undefined): TotalsRow {
  return { ...noTotals, ...units.find(({ unit }) => unit === name), ...visits }
}

function breakdownsOf(units: readonly UnitRow[]): Figures['breakdowns'] {
  const breakdowns = noBreakdowns()
  for (const name of dimensionNames) {
    const own = units.filter(({ unit }) => unit === name)
    breakdowns[name] = own.map((row) => ({ ...row, key: row.value }))
  }
  return breakdowns
}
