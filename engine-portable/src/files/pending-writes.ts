import fs from 'node:fs'
import path from 'node:path'
import { isTokenLog, isUnfinished } from './direct-files.js'
import type { ParallelSync } from './parallel-sync.ts'

/** A file that the engine has opened on the host. */
export interface HostFile {
  descriptor: number
  /** Read each time: the directory above may have been renamed since it was opened. */
  path(): string
  /** Descriptors of the engine that share it. At 0 it stays open only until its data is on the disk. */
  references: number
  /** For a log of deduplication tokens: writes that wait until the rows of the tokens are in place. */
  deferred: { bytes: Uint8Array; position: number }[] | null
}

/**
 * What the engine has written and what is not yet known to be on the disk: files, open or closed by the engine,
 * directories whose entries changed, and deferred tokens.
 */
export interface PendingWrites {
  write(file: HostFile, bytes: Uint8Array, position: number): number
  truncated(file: HostFile): void
  closed(file: HostFile): void
  removed(target: string): void
  directoryChanged(directory: string): void
  directoryRemoved(directory: string): void
  /** Brings everything below `from` to the disk, renames it, then brings the rename to the disk. */
  rename(from: string, to: string): void
  /** Writes deferred bytes now, because their file is going to be read. */
  release(file: HostFile): void
  /** Everything. */
  flush(): void
}

// Descriptors that stay open only to be synchronised. A part with a file for each of a hundred columns stays below it.
const maximumClosed = 512

const isInsertedPart = (directory: string): boolean => path.basename(directory).startsWith('tmp_insert_')

export function trackPendingWrites(sync: ParallelSync): PendingWrites {
  // bounded: by maximumClosed, and by the files that the engine has open.
  const files = new Set<HostFile>()
  // bounded: by the directories that one statement changes: each commit empties it.
  const directories = new Set<string>()
  // bounded: by the files that the engine has open.
  const tokenLogs = new Set<HostFile>()
  let closedCount = 0

  const settle = (file: HostFile): void => {
    files.delete(file)
    if (file.references > 0) return
    closedCount -= 1
    fs.closeSync(file.descriptor)
  }

  const syncThese = (chosenFiles: readonly HostFile[], chosenDirectories: readonly string[]): void => {
    const opened = chosenDirectories.flatMap(openDirectory)
    try {
      sync.syncAll([
        ...chosenFiles.map(({ descriptor }) => ({ descriptor, isDirectory: false })),
        ...opened.map((descriptor) => ({ descriptor, isDirectory: true })),
      ])
    } finally {
      opened.forEach(fs.closeSync)
    }
    for (const directory of chosenDirectories) directories.delete(directory)
    chosenFiles.forEach(settle)
  }

  const syncBelow = (top: string): void => {
    const isBelow = (target: string): boolean => top === '/' || target === top || target.startsWith(`${top}/`)
    syncThese(
      [...files].filter((file) => isBelow(file.path())),
      [...directories].filter(isBelow),
    )
  }

  /** All of it, since the threads of the engine wrote it directly (direct-files.js). */
  const syncUnfinished = (target: string): void => {
    const { files: written, directories: changed } = contentOf(target)
    const opened = written.map((file) => fs.openSync(file, 'r'))
    try {
      const asFile = (descriptor: number) => ({
        descriptor,
        path: () => target,
        references: 1,
        deferred: null,
      })
      syncThese(opened.map(asFile), changed)
    } finally {
      opened.forEach(fs.closeSync)
    }
  }

  const release = (file: HostFile): void => {
    if (!tokenLogs.delete(file) || !file.deferred) return
    const [first] = file.deferred.splice(0, 1)
    if (!first) return
    // The rest follows on: in one write, so that a kill leaves a whole entry or none.
    const bytes = Buffer.concat([first.bytes, ...file.deferred.splice(0).map((part) => part.bytes)])
    fs.writeSync(file.descriptor, bytes, 0, bytes.length, first.position)
    files.add(file)
  }

  return {
    write(file, bytes, position) {
      if (file.deferred) {
        file.deferred.push({ bytes: bytes.slice(), position })
        tokenLogs.add(file)
        return bytes.length
      }
      files.add(file)
      return fs.writeSync(file.descriptor, bytes, 0, bytes.length, position)
    },
    truncated: (file) => void files.add(file),
    closed(file) {
      release(file)
      if (!files.has(file)) return fs.closeSync(file.descriptor)
      closedCount += 1
      if (closedCount > maximumClosed) syncBelow('/')
    },
    removed(target) {
      if (isTokenLog(target)) tokenLogs.forEach(release)
      for (const file of files) if (file.references === 0 && file.path() === target) settle(file)
      directories.add(path.dirname(target))
    },
    directoryChanged: (directory) => void directories.add(directory),
    directoryRemoved(directory) {
      directories.delete(directory)
      directories.add(path.dirname(directory))
    },
    rename(from, to) {
      syncBelow(from)
      if (isUnfinished(from)) syncUnfinished(from)
      fs.renameSync(from, to)
      const table = path.dirname(to)
      const logs = isInsertedPart(from)
        ? [...tokenLogs].filter((log) => path.dirname(path.dirname(log.path())) === table)
        : []
      logs.forEach(release)
      syncThese([], [...new Set([path.dirname(from), table])])
      syncThese(logs, [])
    },
    release,
    flush() {
      syncBelow('/')
      if (tokenLogs.size === 0) return
      tokenLogs.forEach(release)
      syncBelow('/')
    },
  }
}

/** A part is a directory; a mutation begins as a single file. */
function contentOf(target: string): { files: string[]; directories: string[] } {
  if (!fs.statSync(target).isDirectory()) return { files: [target], directories: [] }
  const entries = fs.readdirSync(target, { withFileTypes: true, recursive: true })
  const placeOf = (entry: fs.Dirent): string => path.join(entry.parentPath, entry.name)
  return {
    files: entries.filter((entry) => entry.isFile()).map(placeOf),
    directories: [target, ...entries.filter((entry) => entry.isDirectory()).map(placeOf)],
  }
}

function openDirectory(directory: string): number[] {
  try {
    return [fs.openSync(directory, 'r')]
  } catch (error) {
    // Removed since: there are no entries left to lose.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
