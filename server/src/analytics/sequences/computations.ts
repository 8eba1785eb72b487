import type { FlowGraph, Journeys } from '@assay/contract'
import { type FiguredFunnels, type FigureOptions, figureFunnels } from '../funnels/metrics.ts'
import type { KeptChange } from '../kept-rows/kept-change.ts'
import type { KeptAnswer, KeptInput, KeptQuestion } from '../kept-rows/kept-read.ts'
import type { KeptSites, SiteCopy, SiteFile } from '../kept-rows/kept-sites.ts'
import type { OverviewFigures } from '../rollups/overview-rollups.ts'
import { type TallyOptions, tallyOverview } from '../rollups/overview-tally.ts'
import type { RawRows } from '../tally/event-rows.ts'
import { type FlowOptions, toFlowGraph } from './flow-graph.ts'
import { type JourneyOptions, toJourneys } from './journeys.ts'
import { type RawSequences, toSequences } from './sequences.ts'

/** Computations on what the store answered: their input, options and results. */
export type Computations = {
  flow: { raw: RawSequences; options: FlowOptions; answer: FlowGraph }
  journeys: { raw: RawSequences; options: JourneyOptions; answer: Journeys }
  funnels: { raw: RawSequences; options: FigureOptions; answer: FiguredFunnels }
  overview: { raw: RawRows; options: TallyOptions; answer: OverviewFigures }
  kept: { raw: KeptInput; options: KeptQuestion; answer: KeptAnswer }
  change: { raw: KeptChange; options: object; answer: null }
  forget: { raw: { key: string }; options: object; answer: null }
  write: { raw: SiteCopy; options: object; answer: ReturnType<KeptSites['write']> }
  read: { raw: SiteFile; options: object; answer: ReturnType<KeptSites['read']> }
}
export type ComputationName = keyof Computations
export type Computation = {
  [Name in ComputationName]: { name: Name } & Pick<Computations[Name], 'raw' | 'options'>
}[ComputationName]

/** What the events are kept in is only in the thread. */
const namesOfKept = ['kept', 'change', 'forget', 'write', 'read'] as const
type KeptName = (typeof namesOfKept)[number]
type PureComputation = Exclude<Computation, { name: KeptName }>

export const isPure = (asked: Computation): asked is PureComputation =>
  !namesOfKept.some((name) => name === asked.name)

/** Takes a second for a million events. */
export async function runComputation(
  asked: Computation,
  kept: KeptSites,
): Promise<Computations[ComputationName]['answer']> {
  if (isPure(asked)) return runPure(asked)
  switch (asked.name) {
    case 'kept':
      return await kept.answer(asked.raw, asked.options)
    case 'change':
      return kept.change(asked.raw)
    case 'forget':
      return kept.forget(asked.raw.key)
    case 'write':
      return kept.write(asked.raw)
    case 'read':
      return kept.read(asked.raw)
  }
}

export function runPure(asked: PureComputation): Computations[PureComputation['name']]['answer'] {
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
export function bytesOf(asked: Computation): Uint8Array<ArrayBuffer>[] {
  if (asked.name === 'change') return asked.raw.fresh === null ? [] : [asked.raw.fresh.rows]
  if (!isPure(asked)) return []
  return ['steps' in asked.raw ? asked.raw.steps : asked.raw.rows]
}
