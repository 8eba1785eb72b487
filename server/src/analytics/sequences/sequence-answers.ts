import type { EventFilter, TimeRange } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import { largeEventsMin } from '../cache/large-reads.ts'
import type { KeptReads } from '../kept-rows/kept-reads.ts'
import type { ReadKept } from '../kept-rows/kept-rows.ts'
import type { ComputeWorker } from './compute-worker.ts'
import { stepBytes } from './sequence-store.ts'
import { readSequences } from './sequences.ts'

export type SequenceNeeds = { events: Events; computeWorker: ComputeWorker; readKept: ReadKept }
type SequenceRead = 'flow' | 'journeys' | 'funnels'

/** From rows that are kept, or from the store. */
export async function answerSequences<Name extends SequenceRead>(
  { events, computeWorker, readKept }: SequenceNeeds,
  name: Name,
  filter: EventFilter,
  range: TimeRange,
  options: KeptReads[Name]['options'],
): Promise<{ value: KeptReads[Name]['answer']['value']; isLarge: boolean }> {
  const kept = await readKept(name, filter, spansOf(range), options)
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
