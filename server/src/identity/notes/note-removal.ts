import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import { dayMs } from '../../platform/units.ts'
import type { IdentityGraph } from '../graph/identity-graph.ts'
import { deleteOldNotes, deleteUnidentified, type NoteSubject, selectUnidentified } from './note-store.ts'

/** A statement of a second at most; what is left has the next run. */
const notesPerRun = 10_000
/** One question of the events store for each workspace among them. */
const peoplePerRun = 1_000
/** Long after every event that showed the person when the note was written is loaded. */
const settledMs = dayMs

const start: NoteSubject = { workspace_id: '', original_id: '' }

type NoteRemoval = (nowMs: number, onFailure: ItemFailure) => Promise<void>

/**
 * Removes notes that are older than their workspace keeps events, and notes on people whom nothing shows any more:
 * their events were removed, and they have no identifiers. Each run continues where the one before ended. Costs two
 * queries if all sites keep events forever.
 */
export function createNoteRemoval(
  { control, sightings }: Pick<IdentityGraph, 'control' | 'sightings'>,
  limits = { notesPerRun, peoplePerRun },
): NoteRemoval {
  let after = start
  return async (nowMs, onFailure) => {
    await deleteOldNotes(control, new Date(nowMs), limits.notesPerRun)
    const before = new Date(nowMs - settledMs)
    const found = await selectUnidentified(control, before, after, limits.peoplePerRun)
    const last = found.at(-1)
    after = last === undefined || found.length < limits.peoplePerRun ? start : last
    const ofWorkspace = async ([workspaceId, subjects]: [string, NoteSubject[]]) => {
      const originalIds = subjects.map(({ original_id }) => original_id)
      const seen = await sightings.find(workspaceId, originalIds)
      const gone = originalIds.filter((originalId) => !seen.has(originalId))
      if (gone.length > 0) await deleteUnidentified(control, workspaceId, gone, before)
    }
    await forEachItem(
      Map.groupBy(found, ({ workspace_id }) => workspace_id),
      ofWorkspace,
      onFailure,
    )
  }
}
