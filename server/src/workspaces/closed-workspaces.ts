import type { Control } from '../store/control.ts'
import { selectClosedWorkspaces } from './store.ts'

/**
 * Workspaces that are being deleted or gone. There are few, so every node knows them all, and access checks
 * and ingest read them synchronously.
 */
export type ClosedWorkspaces = {
  has: (workspaceId: string) => boolean
  /** Here at once, on every other node a moment later. */
  close: (workspaceId: string) => Promise<void>
  reopen: (workspaceId: string) => Promise<void>
  /** Its data is deleted: caches of it are evicted, on every node. */
  gone: (workspaceId: string) => Promise<void>
  onGone: (forget: (workspaceId: string) => void) => void
  /** All of it was replaced: caches are evicted and read again, on every node. */
  renewed: (workspaceId: string) => Promise<void>
  onRenewed: (read: (workspaceId: string) => Promise<void>) => void
}

const channel = 'assay_workspaces'

export async function createClosedWorkspaces(control: Control): Promise<ClosedWorkspaces> {
  // bounded: by the closed workspaces of the control store, an id each.
  let closed = new Set<string>()
  let heard = 0
  const forgetters: ((workspaceId: string) => void)[] = []
  const readers: ((workspaceId: string) => Promise<void>)[] = []
  const hear = (notice: string): Promise<unknown> => {
    heard++
    const workspaceId = notice.slice(1)
    const isRenewed = notice.startsWith('*')
    if (notice.startsWith('+')) closed.delete(workspaceId)
    else if (!isRenewed) closed.add(workspaceId)
    if (isRenewed || notice.startsWith('!')) for (const forget of forgetters) forget(workspaceId)
    return Promise.all(isRenewed ? readers.map((read) => read(workspaceId)) : [])
  }
  async function load(): Promise<void> {
    const heardBefore = heard
    const ids = await selectClosedWorkspaces(control)
    // What was said while we read may not be in what we read.
    if (heard !== heardBefore) return load()
    closed = new Set(ids)
  }
  // If it cannot be read now the connection is lost again, and reconnecting retries.
  const listening = (notice: string) => void hear(notice).catch(() => {})
  await control.listen(channel, listening, () => void load().catch(() => {}))
  await load()

  async function publish(notice: string): Promise<void> {
    await hear(notice)
    await control.notify(channel, notice)
  }
  return {
    has: (workspaceId) => closed.has(workspaceId),
    close: (workspaceId) => publish(`-${workspaceId}`),
    reopen: (workspaceId) => publish(`+${workspaceId}`),
    gone: (workspaceId) => publish(`!${workspaceId}`),
    onGone: (forget) => void forgetters.push(forget),
    renewed: (workspaceId) => publish(`*${workspaceId}`),
    onRenewed: (read) => void readers.push(read),
  }
}
