import { statfs } from 'node:fs/promises'
import { Problem } from '@assay/contract'

/** Reserved for the log and the stores on the same disk. */
export const reservedBytes = 1024 ** 3

/** Refuses what would leave less than that: a full disk refuses everyone's events. */
export async function requireFreeSpace(directory: string, bytes: number): Promise<void> {
  if ((await freeBytes(directory)) - bytes >= reservedBytes) return
  const wanted = Math.ceil((bytes + reservedBytes) / 1024 ** 3)
  throw new Problem('unavailable', {
    detail: `The disk of this server has too little space: ${wanted} GB have to be free. Ask its operator.`,
    headers: { 'retry-after': '3600' },
  })
}

export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
