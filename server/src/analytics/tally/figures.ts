import type { Clock } from '../../platform/clock.ts'
import { minuteMs } from '../../platform/units.ts'
import { dependsOnPeople, type EventFilter } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import { selectBreakdowns } from '../breakdown-store.ts'
import type { ReadKept } from '../kept-rows/kept-rows.ts'
import type { Period } from '../period.ts'
import { overviewRead } from '../rollups/overview-read.ts'
import type { OverviewFigures } from '../rollups/overview-rollups.ts'
import type { ComputeWorker } from '../sequences/compute-worker.ts'
import { ownBytes } from '../sequences/sequences.ts'
import { joined, selectRevenue, selectSeries, selectTotals, type TwoPeriods } from '../store.ts'
import { isTooLarge, type RowBounds, rowBounds } from './row-bounds.ts'
import { selectMerges, selectRows } from './row-store.ts'

export type FiguresQuestion = {
  filter: EventFilter
  periods: TwoPeriods
  starts: readonly number[]
  breakdownRows: number
}

/** How many events of the current period there are, bots too; null where that was not counted along with the rest. */
type StoredEvents = { events: number; bots: number } | null

/** Reads the figures of an overview. */
export type ReadFigures = (asked: FiguresQuestion) => Promise<OverviewFigures & { stored: StoredEvents }>

/** For how long a site with too many events is not tried again. */
const largeMs = 10 * minuteMs
const largeSitesMax = 1_000

/**
 * The events are counted here: from rows that are kept, or where a filter asks for more than they have from one
 * reading of narrow rows; that takes a fifth of the time of six statements, each of which reads them all. Where they
 * are too many for the memory, the statements count.
 */
export function createFigures(
  { events, now }: { events: Events; now: Clock },
  { computeWorker, readKept }: { computeWorker: ComputeWorker; readKept: ReadKept },
  bounds: RowBounds = rowBounds,
): ReadFigures {
  // bounded: by largeSitesMax.
  const large = new Map<string, number>()
  const isLarge = (key: string) => (large.get(key) ?? 0) > now()
  return async (asked) => {
    const kept = await keptFigures(readKept, asked)
    if (kept !== null) return { ...kept.figures, stored: kept.stored }
    const key = `${asked.filter.workspaceId} ${asked.filter.siteId}`
    const ofStore = async () => ({ ...(await selectFigures(events, asked)), stored: null })
    if (isLarge(key)) return ofStore()
    try {
      return { ...(await tallyFigures(events, computeWorker, asked, bounds)), stored: null }
    } catch (error) {
      if (!isTooLarge(error)) throw error
      if (large.size >= largeSitesMax) large.clear()
      large.set(key, now() + largeMs)
      return ofStore()
    }
  }
}

function keptFigures(readKept: ReadKept, { filter, periods, starts, breakdownRows }: FiguresQuestion) {
  const spanOf = ({ fromMs, toMs }: Period) => ({ fromMs, toMs })
  const [previous, current] = [spanOf(periods.previous), spanOf(periods.current)]
  const options = { previous, current, starts, breakdownRows }
  return readKept(overviewRead, filter, [previous, current], options)
}

/** Counted here, from one reading of the events. */
export async function tallyFigures(
  events: Events,
  computeWorker: ComputeWorker,
  { filter, periods, starts, breakdownRows }: FiguresQuestion,
  bounds: RowBounds = rowBounds,
): Promise<OverviewFigures> {
  // A filter that asks about people has looked them up.
  const isMerged = filter.readOverlays.hasMerges && !dependsOnPeople(filter)
  const [rows, merges] = await Promise.all([
    selectRows(events, filter, joined(periods), bounds),
    isMerged ? selectMerges(events, filter.workspaceId) : null,
  ])
  const raw = { rows: ownBytes(rows), merges: merges === null ? null : ownBytes(merges) }
  return computeWorker.run('overview', raw, { currentMs: periods.current.fromMs, starts, breakdownRows })
}

/** Counted by the store, in several statements. */
export async function selectFigures(
  events: Events,
  { filter, periods, starts, breakdownRows }: FiguresQuestion,
): Promise<OverviewFigures> {
  const [totals, revenue, series, breakdowns] = await Promise.all([
    selectTotals(events, filter, periods),
    selectRevenue(events, filter, periods, starts),
    selectSeries(events, filter, periods.current, starts),
    selectBreakdowns(events, filter, periods.current, breakdownRows),
  ])
  return { totals, revenue, series, breakdowns }
}
