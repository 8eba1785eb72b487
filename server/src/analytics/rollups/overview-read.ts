import type { KeptRead } from '../kept-rows/kept-read.ts'
import type { Span } from '../kept-rows/updates/part-changes.ts'
import { addUpOverview, type OverviewFigures, type SeriesOptions } from './overview-rollups.ts'
import { bordersOf } from './part.ts'

type OverviewCounts = { figures: OverviewFigures; stored: { events: number; bots: number } }

/** All events of the current period are counted as stored, bots too. */
type OverviewOptions = SeriesOptions & { previous: Span; current: Span }

export const overviewRead: KeptRead<OverviewOptions, OverviewCounts> = {
  file: import.meta.url,
  name: 'overviewRead',
  isOfVisits: false,
  takesFilters: true,
  isOfSums: ({ current, starts }) => bordersOf(starts, current.fromMs).length === 0,
  read: (view, { previous, current, ...options }) => {
    const parts = {
      previous: view.parts(previous, []),
      current: view.parts(current, bordersOf(options.starts, current.fromMs)),
    }
    const { numbers, people } = view
    return {
      figures: addUpOverview({ ...parts, numbers, people }, options),
      stored: view.count(current),
    }
  },
}
