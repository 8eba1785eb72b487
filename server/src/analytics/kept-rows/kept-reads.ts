import type { EventRows } from '../tally/event-rows.ts'
import { type OverviewFigures, type TallyOptions, tallyRows } from '../tally/overview-tally.ts'
import type { KeptRange, KeptSite } from './kept-site.ts'
import type { Span } from './part-changes.ts'

/** What can be asked of kept rows. */
export type KeptReads = {
  overview: {
    /** `counted` is the time of which all events are counted, bots too. */
    options: TallyOptions & { counted: Span }
    answer: { figures: OverviewFigures; stored: { events: number; bots: number } }
  }
}
export type KeptRead = keyof KeptReads

/** A question and the rows that it is about. */
export type KeptQuestion = {
  [Name in KeptRead]: { name: Name; range: KeptRange; options: KeptReads[Name]['options'] }
}[KeptRead]

export function readKept(
  asked: KeptQuestion,
  rows: EventRows,
  site: KeptSite,
): KeptReads[KeptRead]['answer'] {
  switch (asked.name) {
    case 'overview':
      return { figures: tallyRows(rows, asked.options), stored: site.count(asked.options.counted) }
  }
}

/** What has changed since the last question about a site. */
export type KeptInput = {
  /** Of the site, with what else its rows depend on. */
  key: string
  /** Sites that are no longer kept. */
  forget: readonly string[]
  /** Starts of days that are gone. */
  drop: readonly number[]
  /** Answers of the store for whole days. */
  fresh: readonly { span: Span; rows: Uint8Array<ArrayBuffer> }[]
  /** Who was merged; null where no one was. */
  merges: Uint8Array<ArrayBuffer> | 'same' | null
}

/** Lost where the thread began anew in between. */
export type KeptAnswer =
  | { isLost: true }
  | { isLost: false; bytes: number; answer: KeptReads[KeptRead]['answer'] }
