import type { FlowGraph, Journeys } from '@assay/contract'
import { type FiguredFunnels, type FigureOptions, figureFunnels } from '../funnels/metrics.ts'
import type { KeptRead } from '../kept-rows/kept-read.ts'
import type { EventRows } from '../tally/event-rows.ts'
import { type FlowOptions, toFlowGraph } from './flow-graph.ts'
import { type JourneyOptions, toJourneys } from './journeys.ts'
import { sequencesOf } from './row-sequences.ts'
import { type Sequences, stepsIn } from './sequences.ts'

/** An answer, with how many steps all sessions have. */
export type SequenceAnswer<Value> = { value: Value; steps: number }

export const flowRead: KeptRead<FlowOptions, SequenceAnswer<FlowGraph>> = {
  file: import.meta.url,
  name: 'flowRead',
  isOfVisits: true,
  takesFilters: true,
  read: (view, options) => ofSequences(view.rows(), (sequences) => toFlowGraph(sequences, options)),
}

export const journeysRead: KeptRead<JourneyOptions, SequenceAnswer<Journeys>> = {
  file: import.meta.url,
  name: 'journeysRead',
  isOfVisits: true,
  takesFilters: true,
  read: (view, options) => ofSequences(view.rows(), (sequences) => toJourneys(sequences, options)),
}

export const funnelsRead: KeptRead<FigureOptions, SequenceAnswer<FiguredFunnels>> = {
  file: import.meta.url,
  name: 'funnelsRead',
  isOfVisits: true,
  takesFilters: true,
  read: (view, options) => ofSequences(view.rows(), (sequences) => figureFunnels(sequences, options)),
}

function ofSequences<Value>(rows: EventRows, make: (sequences: Sequences) => Value): SequenceAnswer<Value> {
  const sequences = sequencesOf(rows)
  return { value: make(sequences), steps: stepsIn(sequences) }
}
