import type { Control } from '../../store/control.ts'
import { selectApplying } from './import-store.ts'

/** Workspaces with a running import: no one may read half of one, on any node. */
export type ImportLock = {
  has: (workspaceId: string) => boolean
  begin: (workspaceId: string) => Promise<void>
  end: (workspaceId: string) => Promise<void>
}

const channel = 'assay_filling'

export async function createImportLock(control: Control): Promise<ImportLock> {
  // bounded: by the imports that are being put into place.
  const locked = new Set<string>()
  async function load(): Promise<void> {
    const rows = await selectApplying(control)
    locked.clear()
    for (const row of rows) locked.add(row.workspace_id)
  }
  const apply = (notice: string) => {
    if (notice.startsWith('+')) locked.add(notice.slice(1))
    else locked.delete(notice.slice(1))
  }
  // If it cannot be read now the connection is lost again, and reconnecting retries.
  await control.listen(channel, apply, () => void load().catch(() => {}))
  await load()
  const publish = async (notice: string) => {
    apply(notice)
    await control.notify(channel, notice)
  }
  return {
    has: (workspaceId) => locked.has(workspaceId),
    begin: (workspaceId) => publish(`+${workspaceId}`),
    end: (workspaceId) => publish(`-${workspaceId}`),
  }
}
