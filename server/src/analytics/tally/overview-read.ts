import type { KeptRead } from '../kept-rows/kept-read.ts'
import type { Span } from '../kept-rows/part-changes.ts'
import { type OverviewFigures, type TallyOptions, tallyRows } from './overview-tally.ts'

export type OverviewCounts = { figures: OverviewFigures; stored: { events: number; bots: number } }

/** `counted` is the time of which all events are counted, bots too. */
export const overviewRead: KeptRead<TallyOptions & { counted: Span }, OverviewCounts> = {
  file: import.meta.url,
  name: 'overviewRead',
  isOfVisits: false,
  read: (rows, options, site) => ({
    figures: tallyRows(rows, options),
    stored: site.count(options.counted),
  }),
}
