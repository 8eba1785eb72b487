import fs from 'node:fs'
import path from 'node:path'
import type {
  AttributeChange,
  Attributes,
  EmscriptenFiles,
  FileNode,
  FileStream,
  FileSystemFigures,
  FileSystemType,
  NodeOperations,
  StreamOperations,
} from '../emscripten.ts'
import { isTokenLog } from './direct-files.js'
import { errno, errnoOf } from './errno.js'
import { startParallelSync } from './parallel-sync.ts'
import { type HostFile, type PendingWrites, trackPendingWrites } from './pending-writes.ts'

/**
 * Host directories inside the engine's file tree.
 *
 * The engine's own `fdatasync` does nothing in the WebAssembly build, so durability is made here: the content of a
 * directory is on the disk before the directory gets its final name, and everything is before a statement is
 * acknowledged, which is when `flush` is called.
 */
export interface HostFiles {
  type: FileSystemType
  flush(): void
  close(): Promise<void>
}

// Flags as the engine's C library passes them (Linux values), whatever the host's are.
const flag = { accessMode: 0o3, create: 0o100 } as const
const seek = { fromCurrent: 1, fromEnd: 2 } as const
// Only for the user that the product runs as; a ClickHouse server would let its group read (0640, 0750).
const granted = 0o700

export function hostFiles(FS: EmscriptenFiles): HostFiles {
  const sync = startParallelSync()
  const pending = trackPendingWrites(sync)
  const translate = <T>(act: () => T): T => translateErrors(FS, act)

  const createNode = (parent: FileNode | null, name: string, mode: number): FileNode => {
    const node = FS.createNode(parent, name, mode, 0)
    node.node_ops = nodeOperations
    node.stream_ops = streamOperations
    return node
  }

  /** The tree caches nodes; one that the host has removed is evicted when that shows. */
  const evictIfGone = <T>(node: FileNode, act: () => T): T =>
    translate(() => {
      try {
        return act()
      } catch (error) {
        if (errnoOf(error) === errno.ENOENT) FS.hashRemoveNode(node)
        throw error
      }
    })

  const nodeOperations: NodeOperations = {
    getattr: (node) => evictIfGone(node, () => attributes(fs.lstatSync(hostPath(node)))),
    setattr: (node, change) => evictIfGone(node, () => changeAttributes(node, hostPath(node), change)),
    lookup: (parent, name) =>
      translate(() => createNode(parent, name, fs.lstatSync(path.join(hostPath(parent), name)).mode)),
    mknod(parent, name, mode) {
      const target = path.join(hostPath(parent), name)
      translate(() => {
        if (FS.isDir(mode)) fs.mkdirSync(target, { mode: mode & granted })
        else fs.closeSync(fs.openSync(target, 'wx', mode & granted))
      })
      pending.directoryChanged(path.dirname(target))
      return createNode(parent, name, mode)
    },
    rename(node, newParent, newName) {
      const from = hostPath(node)
      const to = path.join(hostPath(newParent), newName)
      const replaced = existingNode(FS, newParent, newName)
      translate(() => pending.rename(from, to))
      // The run time renames the node after this, but leaves the one whose place it takes.
      if (replaced) FS.hashRemoveNode(replaced)
      node.name = newName
    },
    unlink(parent, name) {
      const target = path.join(hostPath(parent), name)
      translate(() => {
        fs.unlinkSync(target)
        pending.removed(target)
      })
    },
    rmdir(parent, name) {
      const target = path.join(hostPath(parent), name)
      translate(() => fs.rmdirSync(target))
      pending.directoryRemoved(target)
    },
    readdir: (node) => translate(() => ['.', '..', ...fs.readdirSync(hostPath(node))]),
    symlink(parent, name, target) {
      translate(() => fs.symlinkSync(target, path.join(hostPath(parent), name)))
      pending.directoryChanged(hostPath(parent))
      return nodeOperations.lookup(parent, name)
    },
    readlink: (node) => translate(() => fs.readlinkSync(hostPath(node))),
    statfs: (root) => translate(() => figures(fs.statfsSync(root))),
  }

  const streamOperations = makeStreamOperations(FS, pending)

  return {
    type: {
      mount: ({ opts }) => createNode(null, '/', translate(() => fs.statSync(opts.root)).mode),
    },
    flush: pending.flush,
    close: sync.stop,
  }
}

function makeStreamOperations(FS: EmscriptenFiles, pending: PendingWrites): StreamOperations {
  const translate = <T>(act: () => T): T => translateErrors(FS, act)
  const opened = (stream: FileStream): HostFile => {
    const file = stream.shared.hostFile
    if (!file) throw new FS.ErrnoError(errno.EBADF)
    return file
  }

  return {
    open(stream) {
      const { node } = stream
      if (!FS.isFile(node.mode)) return
      try {
        const target = hostPath(node)
        const descriptor = translate(() => fs.openSync(target, hostFlags(stream.flags), 0o640))
        const deferred = isTokenLog(target) ? [] : null
        stream.shared.hostFile = { descriptor, path: () => hostPath(node), references: 1, deferred }
      } catch (error) {
        // The run time has already given the stream a number and would not take it back.
        if (stream.fd !== null) FS.closeStream(stream.fd)
        throw error
      }
    },
    close(stream) {
      const file = stream.shared.hostFile
      if (!file) return
      file.references -= 1
      if (file.references === 0) translate(() => pending.closed(file))
    },
    dup(stream) {
      if (stream.shared.hostFile) stream.shared.hostFile.references += 1
    },
    getattr(stream) {
      const file = stream.shared.hostFile
      if (!file) return stream.node.node_ops.getattr(stream.node)
      return translate(() => {
        pending.release(file)
        return attributes(fs.fstatSync(file.descriptor))
      })
    },
    setattr(stream, change) {
      const file = opened(stream)
      translate(() => {
        pending.release(file)
        if (change.size !== undefined) {
          fs.ftruncateSync(file.descriptor, change.size)
          pending.truncated(file)
        }
        if (change.mode !== undefined) fs.fchmodSync(file.descriptor, change.mode & granted)
      })
    },
    read(stream, heap, offset, length, position) {
      if (length === 0) return 0
      const file = opened(stream)
      const target = new Uint8Array(heap.buffer, heap.byteOffset + offset, length)
      return translate(() => {
        pending.release(file)
        return fs.readSync(file.descriptor, target, 0, length, position)
      })
    },
    write(stream, heap, offset, length, position) {
      if (length === 0) return 0
      const source = new Uint8Array(heap.buffer, heap.byteOffset + offset, length)
      return translate(() => pending.write(opened(stream), source, position))
    },
    llseek(stream, offset, whence) {
      let position = offset
      if (whence === seek.fromCurrent) position += stream.position
      const file = stream.shared.hostFile
      if (whence === seek.fromEnd && file) position += translate(() => endOf(file))
      if (position < 0) throw new FS.ErrnoError(errno.EINVAL)
      return position
    },
    mmap() {
      throw new FS.ErrnoError(errno.ENODEV)
    },
    msync: () => 0,
  }
}

function endOf(file: HostFile): number {
  const last = file.deferred?.at(-1)
  return last ? last.position + last.bytes.length : fs.fstatSync(file.descriptor).size
}

function existingNode(FS: EmscriptenFiles, parent: FileNode, name: string): FileNode | null {
  try {
    return FS.lookupNode(parent, name)
  } catch (error) {
    if (error instanceof FS.ErrnoError) return null
    throw error
  }
}

function hostPath(node: FileNode): string {
  const names: string[] = []
  let current = node
  while (current.parent !== current) {
    names.push(current.name)
    current = current.parent
  }
  return path.join(current.mount.opts.root, ...names.reverse())
}

function hostFlags(flags: number): number {
  const accessModes = [fs.constants.O_RDONLY, fs.constants.O_WRONLY, fs.constants.O_RDWR]
  let result = accessModes[flags & flag.accessMode] ?? fs.constants.O_RDONLY
  if (flags & flag.create) result |= fs.constants.O_CREAT
  return result
}

function attributes(stats: fs.Stats): Attributes {
  const { dev, ino, mode, nlink, rdev, size, atime, mtime, ctime } = stats
  // Windows reports neither block size nor blocks.
  const blksize = stats.blksize || 4096
  const blocks = stats.blocks || Math.ceil(size / 512)
  return { dev, ino, mode, nlink, uid: 0, gid: 0, rdev, size, atime, mtime, ctime, blksize, blocks }
}

function changeAttributes(node: FileNode, target: string, change: AttributeChange): void {
  if (change.mode !== undefined) {
    fs.chmodSync(target, change.mode & granted)
    node.mode = change.mode
  }
  if (change.size !== undefined) fs.truncateSync(target, change.size)
  if (change.atime !== undefined && change.mtime !== undefined) {
    fs.utimesSync(target, new Date(change.atime), new Date(change.mtime))
  }
}

function figures({ bsize, blocks, bfree, bavail, files, ffree }: fs.StatsFs): FileSystemFigures {
  return { bsize, frsize: bsize, blocks, bfree, bavail, files, ffree }
}

function translateErrors<T>(FS: EmscriptenFiles, act: () => T): T {
  try {
    return act()
  } catch (error) {
    const code = errnoOf(error)
    if (code === undefined) throw error
    throw new FS.ErrnoError(code)
  }
}
