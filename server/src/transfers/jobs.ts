import type { Job } from '../platform/scheduler.ts'
import type { Transfers } from './transfers.ts'

const removeOldMs = 6 * 3_600_000
/** Of a node that is gone; how long it is not seen before counts more. */
const takeOverMs = 10_000
/** Someone waits at a terminal; a check only lists an empty directory. */
const lookForBackupsMs = 500

export function transferJobs({ exports, imports, backingUp }: Transfers): Job[] {
  return [
    [removeOldMs, 'old exports of workspaces', (onFailure) => exports.removeOld(onFailure), 'each node'],
    [removeOldMs, 'old imports', (onFailure) => imports.removeOld(onFailure), 'each node'],
    [takeOverMs, 'imports of other nodes', () => imports.takeOver()],
    [lookForBackupsMs, 'backups', () => backingUp.look(), 'each node'],
  ]
}
