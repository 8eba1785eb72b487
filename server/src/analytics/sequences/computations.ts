import type { FlowGraph, Journeys } from '@assay/contract'
import { type FiguredFunnels, type FigureOptions, figureFunnels } from '../funnels/metrics.ts'
import { type OverviewFigures, type TallyOptions, tallyOverview } from '../tally/overview-tally.ts'
import type { RawRows } from '../tally/row-columns.ts'
import { type FlowOptions, toFlowGraph } from './flow-graph.ts'
import { type JourneyOptions, toJourneys } from './journeys.ts'
import { type RawSequences, toSequences } from './sequences.ts'

/** Computations on what the store answered: their input, options and results. */
export type Computations = {
  flow: { raw: RawSequences; options: FlowOptions; answer: FlowGraph }
  journeys: { raw: RawSequences; options: JourneyOptions; answer: Journeys }
  funnels: { raw: RawSequences; options: FigureOptions; answer: FiguredFunnels }
  overview: { raw: RawRows; options: TallyOptions; answer: OverviewFigures }
}
export type ComputationName = keyof Computations
export type Computation = {
  [Name in ComputationName]: { name: Name } & Pick<Computations[Name], 'raw' | 'options'>
}[ComputationName]

/** Takes a second for a million events; pure. */
export function runComputation(asked: Computation): Computations[ComputationName]['answer'] {
  switch (asked.name) {
    case 'flow':
      return toFlowGraph(toSequences(asked.raw), asked.options)
    case 'journeys':
      return toJourneys(toSequences(asked.raw), asked.options)
    case 'funnels':
      return figureFunnels(toSequences(asked.raw), asked.options)
    case 'overview':
      return tallyOverview(asked.raw, asked.options)
  }
}

/** The bytes that make up most of the input, which go to another thread instead of being copied. */
export const bytesOf = ({ raw }: Computation): Uint8Array<ArrayBuffer> =>
  'steps' in raw ? raw.steps : raw.rows
