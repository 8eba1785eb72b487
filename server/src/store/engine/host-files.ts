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
  HostFile,
  NodeOperations,
  StreamOperations,
} from './emscripten.ts'

/**
 * Host directories inside the engine's file tree.
 *
 * The engine's own `fdatasync` does nothing in the WebAssembly build, so durability is made here:
 * a written file is synchronised when it is closed, a journal (a file opened for appending, such as the
 * log of deduplication tokens) at every write, a directory when something is renamed in it, and every other
 * changed directory by `flush`, which is called before a statement is acknowledged.
 */
export interface HostFiles {
  type: FileSystemType
  flush(): void
}

// WASI numbers, which is what Emscripten's C library uses: https://wasix.org/docs/api-reference/wasi/errno
const errno = {
  EACCES: 2,
  EAGAIN: 6,
  EBADF: 8,
  EBUSY: 10,
  EDQUOT: 19,
  EEXIST: 20,
  EFBIG: 22,
  EINTR: 27,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  EMLINK: 34,
  ENAMETOOLONG: 37,
  ENFILE: 41,
  ENODEV: 43,
  ENOENT: 44,
  ENOMEM: 48,
  ENOSPC: 51,
  ENOSYS: 52,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  ENOTSUP: 58,
  EPERM: 63,
  EROFS: 69,
  ESPIPE: 70,
  ESTALE: 72,
  ETXTBSY: 74,
  EXDEV: 75,
} as const
const errnoByCode: ReadonlyMap<string, number> = new Map(Object.entries(errno))

// Flags as the engine's C library passes them (Linux values), whatever the host's are.
const flag = { accessMode: 0o3, create: 0o100, append: 0o2000 } as const
const seek = { fromCurrent: 1, fromEnd: 2 } as const
// Not readable by everyone: what a ClickHouse server grants on its own files (0640, directories 0750).
const granted = 0o750

export function hostFiles(FS: EmscriptenFiles): HostFiles {
  const changedDirectories = changes()
  const translate = <T>(act: () => T): T => translateErrors(FS, act)

  const createNode = (parent: FileNode | null, name: string, mode: number): FileNode => {
    const node = FS.createNode(parent, name, mode, 0)
    node.node_ops = nodeOperations
    node.stream_ops = streamOperations
    return node
  }

  /** The tree remembers nodes; one that the host removed behind its back is forgotten when that shows. */
  const forgetIfGone = <T>(node: FileNode, act: () => T): T =>
    translate(() => {
      try {
        return act()
      } catch (error) {
        if (codeOf(error) === 'ENOENT') FS.hashRemoveNode(node)
        throw error
      }
    })

  const nodeOperations: NodeOperations = {
    getattr: (node) => forgetIfGone(node, () => attributes(fs.lstatSync(hostPath(node)))),
    setattr: (node, change) => forgetIfGone(node, () => changeAttributes(node, hostPath(node), change)),
    lookup: (parent, name) =>
      translate(() => createNode(parent, name, fs.lstatSync(path.join(hostPath(parent), name)).mode)),
    mknod(parent, name, mode) {
      const target = path.join(hostPath(parent), name)
      translate(() => {
        if (FS.isDir(mode)) fs.mkdirSync(target, { mode: mode & granted })
        else fs.closeSync(fs.openSync(target, 'wx', mode & granted))
      })
      changedDirectories.add(path.dirname(target))
      return createNode(parent, name, mode)
    },
    rename(node, newParent, newName) {
      const from = hostPath(node)
      const to = path.join(hostPath(newParent), newName)
      const replaced = existingNode(FS, newParent, newName)
      translate(() => {
        changedDirectories.flush(from)
        fs.renameSync(from, to)
      })
      if (replaced) FS.hashRemoveNode(replaced)
      node.name = newName
      node.parent = newParent
      translate(() => changedDirectories.flushNow(path.dirname(to), path.dirname(from)))
    },
    unlink(parent, name) {
      translate(() => fs.unlinkSync(path.join(hostPath(parent), name)))
      changedDirectories.add(hostPath(parent))
    },
    rmdir(parent, name) {
      const target = path.join(hostPath(parent), name)
      translate(() => fs.rmdirSync(target))
      changedDirectories.forget(target)
      changedDirectories.add(hostPath(parent))
    },
    readdir: (node) => translate(() => ['.', '..', ...fs.readdirSync(hostPath(node))]),
    symlink(parent, name, target) {
      translate(() => fs.symlinkSync(target, path.join(hostPath(parent), name)))
      changedDirectories.add(hostPath(parent))
      return nodeOperations.lookup(parent, name)
    },
    readlink: (node) => translate(() => fs.readlinkSync(hostPath(node))),
    statfs: (root) => translate(() => figures(fs.statfsSync(root))),
  }

  const streamOperations = makeStreamOperations(FS)

  return {
    type: {
      mount: ({ opts }) => createNode(null, '/', translate(() => fs.statSync(opts.root)).mode),
    },
    flush: () => changedDirectories.flush('/'),
  }
}

function makeStreamOperations(FS: EmscriptenFiles): StreamOperations {
  const translate = <T>(act: () => T): T => translateErrors(FS, act)
  const opened = (stream: FileStream): HostFile => {
    const file = stream.shared.hostFile
    if (!file) throw new FS.ErrnoError(errno.EBADF)
    return file
  }

  return {
    open(stream) {
      if (!FS.isFile(stream.node.mode)) return
      try {
        const descriptor = translate(() => fs.openSync(hostPath(stream.node), hostFlags(stream.flags), 0o640))
        const isJournal = (stream.flags & flag.append) !== 0
        stream.shared.hostFile = { descriptor, references: 1, isWritten: false, isJournal }
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
      if (file.references > 0) return
      translate(() => {
        try {
          if (file.isWritten) fs.fdatasyncSync(file.descriptor)
        } finally {
          fs.closeSync(file.descriptor)
        }
      })
    },
    dup(stream) {
      if (stream.shared.hostFile) stream.shared.hostFile.references += 1
    },
    getattr(stream) {
      const file = stream.shared.hostFile
      if (!file) return stream.node.node_ops.getattr(stream.node)
      return translate(() => attributes(fs.fstatSync(file.descriptor)))
    },
    setattr(stream, change) {
      const file = opened(stream)
      translate(() => {
        if (change.size !== undefined) {
          fs.ftruncateSync(file.descriptor, change.size)
          file.isWritten = true
        }
        if (change.mode !== undefined) fs.fchmodSync(file.descriptor, change.mode & granted)
      })
    },
    read(stream, heap, offset, length, position) {
      if (length === 0) return 0
      const target = new Uint8Array(heap.buffer, heap.byteOffset + offset, length)
      return translate(() => fs.readSync(opened(stream).descriptor, target, 0, length, position))
    },
    write(stream, heap, offset, length, position) {
      if (length === 0) return 0
      const file = opened(stream)
      const source = new Uint8Array(heap.buffer, heap.byteOffset + offset, length)
      return translate(() => {
        const written = fs.writeSync(file.descriptor, source, 0, length, file.isJournal ? null : position)
        if (file.isJournal) fs.fdatasyncSync(file.descriptor)
        else file.isWritten = true
        return written
      })
    },
    llseek(stream, offset, whence) {
      let position = offset
      if (whence === seek.fromCurrent) position += stream.position
      const file = stream.shared.hostFile
      if (whence === seek.fromEnd && file) position += translate(() => fs.fstatSync(file.descriptor)).size
      if (position < 0) throw new FS.ErrnoError(errno.EINVAL)
      return position
    },
    mmap() {
      throw new FS.ErrnoError(errno.ENODEV)
    },
    msync: () => 0,
  }
}

/** Directories whose entries changed and which are not yet known to be on the disk. */
function changes() {
  const pending = new Set<string>()
  const flushOne = (directory: string): void => {
    pending.delete(directory)
    syncDirectory(directory)
  }
  return {
    add: (directory: string): void => void pending.add(directory),
    forget: (directory: string): void => void pending.delete(directory),
    flushNow: (...directories: string[]): void => new Set(directories).forEach(flushOne),
    /** Everything at or below `directory`. */
    flush(directory: string): void {
      const below = directory.endsWith('/') ? directory : `${directory}/`
      for (const candidate of pending) {
        if (candidate === directory || candidate.startsWith(below)) flushOne(candidate)
      }
    },
  }
}

function syncDirectory(directory: string): void {
  let descriptor: number
  try {
    descriptor = fs.openSync(directory, 'r')
  } catch (error) {
    // Removed since: there are no entries left to lose.
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
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
  if (flags & flag.append) result |= fs.constants.O_APPEND
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
    const code = codeOf(error)
    if (code === undefined) throw error
    throw new FS.ErrnoError(errnoByCode.get(code) ?? errno.EIO)
  }
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return undefined
}
