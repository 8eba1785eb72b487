import type { FlowGraph, Journeys } from '@assay/contract'
import { type FiguredFunnels, type FigureOptions, figureFunnels } from '../funnels/metrics.ts'
import { type FlowOptions, toFlowGraph } from './flow-graph.ts'
import { type JourneyOptions, toJourneys } from './journeys.ts'
import { type RawSequences, toSequences } from './sequences.ts'

/** Computations on sessions: their options and results. */
export type Reckonings = {
  flow: { options: FlowOptions; answer: FlowGraph }
  journeys: { options: JourneyOptions; answer: Journeys }
  funnels: { options: FigureOptions; answer: FiguredFunnels }
}
export type ReckoningName = keyof Reckonings
export type Reckoning = {
  [Name in ReckoningName]: { name: Name; raw: RawSequences; options: Reckonings[Name]['options'] }
}[ReckoningName]

/** Takes a second for a million events; pure. */
export function reckon(asked: Reckoning): Reckonings[ReckoningName]['answer'] {
  const sequences = toSequences(asked.raw)
  switch (asked.name) {
    case 'flow':
      return toFlowGraph(sequences, asked.options)
    case 'journeys':
      return toJourneys(sequences, asked.options)
    case 'funnels':
      return figureFunnels(sequences, asked.options)
  }
}
