import { statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { partSuffix, randomPart } from './closed-segments.ts'
import { LogFailed, LogFull } from './event-log.ts'
import type { CreateSegmentFile } from './segment-file.ts'

/** With less free space the next group would not fit. */
const roomBytesMin = 1_048_576
/** As much as a large request. */
const probeBytes = 65_536
/** EFBIG is the limit of a file's size, by the file system or by the process's resource limit. */
const noRoomCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

export async function hasFreeSpace(dir: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(dir)
  return bavail * bsize >= roomBytesMin
}

/**
 * Senders may stop while the log cannot write, so it detects recovery without them. `onWritten` is called before the
 * file is removed: a write that fails meanwhile counts as the later one.
 */
export async function probeDisk(
  dir: string,
  createFile: CreateSegmentFile,
  onWritten: () => void,
): Promise<boolean> {
  const path = join(dir, `${randomPart()}${partSuffix}`)
  try {
    const file = await createFile(path)
    try {
      const written = await file.writeDurably(Buffer.alloc(probeBytes), 0, probeBytes, 0)
      if (written < probeBytes) return false
    } finally {
      await file.close()
    }
    onWritten()
    return true
  } catch {
    return false
  } finally {
    await unlink(path).catch(() => {})
  }
}

/** Why the disk refused a write, for its caller. */
export function refusalBy(cause: unknown): LogFull | LogFailed {
  const hasNoRoom = cause instanceof Error && 'code' in cause && noRoomCodes.has(cause.code)
  if (hasNoRoom) return new LogFull('the disk is full', { cause })
  return new LogFailed('the disk refused the write', { cause })
}
