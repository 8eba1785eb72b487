import type { EventFilter, TimeRange } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import { largeEventsMin } from '../cache/large-reads.ts'
import type { KeptRead } from '../kept-rows/kept-read.ts'
import type { ReadKept } from '../kept-rows/kept-rows.ts'
import type { ComputeWorker } from './compute-worker.ts'
import { flowRead, funnelsRead, journeysRead, type SequenceAnswer } from './sequence-reads.ts'
import { stepBytes } from './sequence-store.ts'
import { readSequences } from './sequences.ts'

export type SequenceNeeds = { events: Events; computeWorker: ComputeWorker; readKept: ReadKept }

const reads = { flow: flowRead, journeys: journeysRead, funnels: funnelsRead } as const
type Reads = typeof reads
type SequenceOptions<Name extends keyof Reads> = Parameters<Reads[Name]['read']>[1]
type SequenceValue<Name extends keyof Reads> = ReturnType<Reads[Name]['read']>['value']

/** From rows that are kept, or from the store. */
export async function answerSequences<Name extends keyof Reads>(
  { events, computeWorker, readKept }: SequenceNeeds,
  name: Name,
  filter: EventFilter,
  range: TimeRange,
  options: SequenceOptions<Name>,
): Promise<{ value: SequenceValue<Name>; isLarge: boolean }> {
  // boundary: what a name stands for takes the options of that name.
  const read = reads[name] as KeptRead<SequenceOptions<Name>, SequenceAnswer<SequenceValue<Name>>>
  const kept = await readKept(read, filter, spansOf(range), options)
  if (kept !== null) return { value: kept.value, isLarge: kept.steps >= largeEventsMin }
  const sequences = await readSequences(events, filter, range)
  const isLarge = sequences.steps.length / stepBytes >= largeEventsMin
  // boundary: the options of a name and its answer are the same for kept rows and for those of the store.
  return { value: (await computeWorker.run(name, sequences, options as never)) as never, isLarge }
}

function spansOf({ fromMs, toMs, border }: TimeRange) {
  if (border === undefined) return [{ fromMs, toMs }]
  return [
    { fromMs, toMs: border.endMs },
    { fromMs: border.startMs, toMs },
  ]
}
