import { hash } from 'node:crypto'
import type { Control } from '../../store/control.ts'
import { locks } from '../../store/locks.ts'

export type WorkspaceQueue = {
  /** Runs the work when all earlier work of the same workspace is done, on this node and on every other. */
  take: <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>
}

/**
 * Workspaces share lanes, which limits concurrency. Each lane uses a connection to the control store while it
 * works, and the pool has ten.
 */
const lanes = 4

/** Each kind of work has its own locks. */
export function createWorkspaceQueue(
  control: Control,
  firstLock: number = locks.quarantineDecisions,
): WorkspaceQueue {
  const last: Promise<unknown>[] = Array.from({ length: lanes }, () => Promise.resolve())
  return {
    take(workspaceId, work) {
      const lane = Number.parseInt(hash('sha256', workspaceId, 'hex').slice(0, 8), 16) % lanes
      const turn = (last[lane] ?? Promise.resolve()).then(() => control.exclusively(firstLock + lane, work))
      last[lane] = turn.catch(() => undefined)
      return turn
    },
  }
}
