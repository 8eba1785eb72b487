import type { FlowGraph, Journeys } from '@assay/contract'
import { type FunnelCounts, type FunnelOfRows, funnelOf } from '../funnels/funnel-rows.ts'
import { type FiguredFunnels, type FigureOptions, figureFunnels } from '../funnels/metrics.ts'
import type { RetentionPlan, RetentionRow } from '../retention-store.ts'
import { type FlowOptions, toFlowGraph } from '../sequences/flow-graph.ts'
import { type JourneyOptions, toJourneys } from '../sequences/journeys.ts'
import { sequencesOf } from '../sequences/row-sequences.ts'
import { type Sequences, stepsIn } from '../sequences/sequences.ts'
import type { EventRows } from '../tally/event-rows.ts'
import { type OverviewFigures, type TallyOptions, tallyRows } from '../tally/overview-tally.ts'
import type { KeptRange, KeptSite } from './kept-site.ts'
import type { Span } from './part-changes.ts'
import { retentionOf } from './retention-rows.ts'

/** What can be asked of kept rows. */
export type KeptReads = {
  overview: {
    /** `counted` is the time of which all events are counted, bots too. */
    options: TallyOptions & { counted: Span }
    answer: { figures: OverviewFigures; stored: { events: number; bots: number } }
  }
  retention: { options: RetentionPlan; answer: RetentionRow[] }
  funnel: { options: FunnelOfRows; answer: FunnelCounts }
  /** With how many steps all sessions have. */
  flow: { options: FlowOptions; answer: { value: FlowGraph; steps: number } }
  journeys: { options: JourneyOptions; answer: { value: Journeys; steps: number } }
  funnels: { options: FigureOptions; answer: { value: FiguredFunnels; steps: number } }
}
/** These look at visits and not at whose they are. */
export const ofVisitsAlone: readonly KeptRead[] = ['flow', 'journeys', 'funnels']
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
    case 'retention':
      return retentionOf(rows, asked.options)
    case 'funnel':
      return funnelOf(rows, asked.options)
    case 'flow':
      return ofSequences(rows, (sequences) => toFlowGraph(sequences, asked.options))
    case 'journeys':
      return ofSequences(rows, (sequences) => toJourneys(sequences, asked.options))
    case 'funnels':
      return ofSequences(rows, (sequences) => figureFunnels(sequences, asked.options))
  }
}

function ofSequences<Value>(rows: EventRows, make: (sequences: Sequences) => Value) {
  const sequences = sequencesOf(rows)
  return { value: make(sequences), steps: stepsIn(sequences) }
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
  /** Who was merged; null where no one was. What is the same may also be unknown, where the question does not need it. */
  merges: Uint8Array<ArrayBuffer> | 'same' | null
}

/** Lost where the thread began anew in between. */
export type KeptAnswer =
  | { isLost: true }
  | { isLost: false; bytes: number; answer: KeptReads[KeptRead]['answer'] }
