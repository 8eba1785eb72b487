import type { FlowGraph, Journeys } from '@assay/contract'
import { type FiguredFunnels, type FigureOptions, figureFunnels } from '../funnels/metrics.ts'
import { type FlowOptions, toFlowGraph } from './flow-graph.ts'
import { type JourneyOptions, toJourneys } from './journeys.ts'
import { type RawSequences, toSequences } from './sequences.ts'

/** Computations on sessions: their options and results. */
export type Computations = {
  flow: { options: FlowOptions; answer: FlowGraph }
  journeys: { options: JourneyOptions; answer: Journeys }
  funnels: { options: FigureOptions; answer: FiguredFunnels }
}
export type ComputationName = keyof Computations
export type Computation = {
  [Name in ComputationName]: { name: Name; raw: RawSequences; options: Computations[Name]['options'] }
}[ComputationName]

/** Takes a second for a million events; pure. */
export function runComputation(asked: Computation): Computations[ComputationName]['answer'] {
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
