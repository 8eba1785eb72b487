import type { Control } from '../../store/control.ts'
import { selectApplying } from './import-store.ts'

/** Workspaces with a running import: no one may read half of one, on any node. */
export type Filling = {
  has: (workspaceId: string) => boolean
  begin: (workspaceId: string) => Promise<void>
  end: (workspaceId: string) => Promise<void>
}

const channel = 'assay_filling'

export async function createFilling(control: Control): Promise<Filling> {
  // bounded: by the imports that are being put into place.
  const filling = new Set<string>()
  async function load(): Promise<void> {
    const rows = await selectApplying(control)
    filling.clear()
    for (const row of rows) filling.add(row.workspace_id)
  }
  const hear = (notice: string) => {
    if (notice.startsWith('+')) filling.add(notice.slice(1))
    else filling.delete(notice.slice(1))
  }
  // If it cannot be read now the connection is lost again, and reconnecting retries.
  await control.listen(channel, hear, () => void load().catch(() => {}))
  await load()
  const tell = async (notice: string) => {
    hear(notice)
    await control.notify(channel, notice)
  }
  return {
    has: (workspaceId) => filling.has(workspaceId),
    begin: (workspaceId) => tell(`+${workspaceId}`),
    end: (workspaceId) => tell(`-${workspaceId}`),
  }
}
