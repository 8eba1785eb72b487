import type { Job } from '../platform/scheduler.ts'
import { hourMs } from '../platform/units.ts'
import { createNoteRemoval } from './notes/note-removal.ts'
import type { People } from './people.ts'
import { analyzeGrownTables } from './table-statistics-store.ts'

type Needs = {
  people: People
  /** The time by which old things may be removed for good. */
  removalNowMs: () => Promise<number>
}

/** Only what could not be synced at once is left for this job. */
const syncMappingMs = 15_000
/** As often as old events are removed. */
const removeNotesMs = hourMs
/** An import may bring a hundred thousand people in minutes; to ask takes a millisecond. */
const analyzeMs = 60_000

export function identityJobs({ people, removalNowMs }: Needs): Job[] {
  const removeNotes = createNoteRemoval(people)
  return [
    [syncMappingMs, 'identity mapping', (onFailure) => people.mapping.followAll(onFailure)],
    [analyzeMs, 'statistics of people', () => analyzeGrownTables(people.control)],
    [removeNotesMs, 'old notes', async (onFailure) => removeNotes(await removalNowMs(), onFailure)],
  ]
}
