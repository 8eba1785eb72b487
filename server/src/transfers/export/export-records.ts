import type { WorkspaceExport } from '@assay/contract'
import type { Control } from '../../store/control.ts'
import { deleteExport, type ExportRow, selectExport, updateExport } from './export-store.ts'

/** A node that was not at its export for so long is taken to be gone. */
export const unseenSeconds = 30
const seenMs = 5_000

/** The export of a workspace, whichever node made it; one whose node is gone has failed. */
export async function findRecord(
  control: Control,
  workspaceId: string,
): Promise<(WorkspaceExport & { isRunning: boolean }) | null> {
  const row = await selectExport(control, workspaceId, unseenSeconds)
  if (row === null) return null
  const isRunning = row.status === 'running' && row.is_seen
  const isLost = row.status === 'running' && !row.is_seen
  return {
    id: row.id,
    status: isLost ? 'failed' : row.status,
    rows_done: row.rows_done,
    error: isLost ? 'The node that made it has stopped. Begin again.' : row.error,
    manifest: row.manifest,
    expires_at: row.expires_at.toISOString(),
    isRunning,
  }
}

type Progress = Pick<ExportRow, 'id' | 'status' | 'rows_done' | 'error' | 'manifest'>

/** Says every few seconds that this node is at it. Answers how to end it, and whether it is still wanted then. */
export function keepRecord(control: Control, progress: () => Progress): () => Promise<boolean> {
  const timer = setInterval(() => void updateExport(control, progress()).catch(() => {}), seenMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    return updateExport(control, progress())
  }
}

export const dropRecord = (control: Control, id: string): Promise<void> => deleteExport(control, id)
