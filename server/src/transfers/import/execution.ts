import { Problem } from '@assay/contract'
import type { PartFolder } from '../files.ts'
import { applyImport, clearEvents, ImportTaken, publishImported } from './application.ts'
import { folderOf, type ImportWorld } from './import-state.ts'
import { type ImportRow, selectImport, updateImport } from './import-store.ts'
import { requireComplete } from './pieces.ts'

/**
 * Applies the import and records the result. The files are deleted when it is done; after a failure they can
 * be used again. While the events store cannot be cleaned after a failure, the workspace stays closed, and
 * the next start continues.
 */
export async function carryOut(world: ImportWorld, row: ImportRow): Promise<void> {
  const { control, importLock, now } = world
  const at = folderOf(world, row)
  const failure = await putInPlace(world, row, at)
  // The other node clears up, and records the end.
  if (failure instanceof ImportTaken) return
  if (failure !== null) {
    await clearEvents(world, row.workspace_id)
    const detail =
      failure instanceof Problem ? failure.message : 'Something went wrong on our side. Begin again.'
    await updateImport(control, row.id, ['applying'], 'failed', detail, new Date(now()))
  }
  try {
    if (failure === null) await publishImported(world, row)
  } finally {
    await importLock.end(row.workspace_id)
  }
  if (failure === null) await world.files.remove(at.folder)
  else if (!(failure instanceof Problem)) throw failure
}

async function putInPlace(world: ImportWorld, row: ImportRow, at: PartFolder): Promise<Error | null> {
  try {
    // Of an import that is gone on with after a start, the files may be gone.
    await requireComplete(row, at)
    await applyImport(world, row, at)
    return null
  } catch (error) {
    // A connection may break with the very word that it is done.
    const current = await selectImport(world.control, row.workspace_id)
    if (current?.id === row.id && current.status === 'done') return null
    return error instanceof Error ? error : new Error(String(error))
  }
}
