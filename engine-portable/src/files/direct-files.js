import fs from 'node:fs'
import path from 'node:path'
import { errno, errnoOf } from './errno.js'

/**
 * Calls about host files in the thread that needs them. The engine passes every such call to one thread and waits for
 * it, which takes longer than the call itself, and a statement makes hundreds of them. Two kinds are made here: those
 * that change nothing, and those that write a part that no statement reads yet. All others go the engine's own way.
 *
 * Descriptors are those of the host, which all threads of a process share, moved out of the way of the engine's own.
 *
 * In JavaScript, with its types in a file next to it, because each of the engine's two dozen threads loads it: to strip
 * the types would cost every one of them a tenth of a second.
 */

/** The key under which a thread of the engine finds them in its environment data. */
export const environmentKey = 'assay.engine'

/** Far beyond what the engine counts up to. */
const firstDirect = 1 << 24
/** Files that a process may have open here; one that has more opens the rest the engine's way. */
const descriptorsMax = 1 << 16

// Of the engine's C library, with Linux's values.
const open = {
  access: 0o3,
  create: 0o100,
  exclusive: 0o200,
  truncate: 0o1000,
  append: 0o2000,
  directory: 0o200000,
}
const toWrite = open.access | open.create | open.truncate
/** These the engine does itself. */
const notDirect = open.exclusive | open.append | open.directory
const duplicate = 0
const regularFile = 4
const vectorBytes = 16

export function newDirectFiles(roots) {
  const bytes = descriptorsMax * Float64Array.BYTES_PER_ELEMENT
  return { roots, positions: new Float64Array(new SharedArrayBuffer(bytes)) }
}

/**
 * ClickHouse writes a token first and then puts the rows in place. Killed between the two, it would take the segment,
 * when it comes again, for one that it has: the rows would be lost. In the other order they would come twice, which
 * the loader prevents by the event ids.
 */
export const isTokenLog = (target) => path.basename(path.dirname(target)) === 'deduplication_logs'

/**
 * A part that is being made, or the note of a mutation. Nothing depends on it before it is renamed, and what renames it
 * brings all of it to the disk first (pending-writes.ts).
 */
export const isUnfinished = (target) => path.basename(target).startsWith('tmp_')

/** Whether it is one or lies in one. The directories above the root have names of the user's. */
function isInUnfinished(target, roots) {
  const root = roots.find((one) => target.startsWith(`${one}/`)) ?? ''
  return target.slice(root.length).split('/').some(isUnfinished)
}

/** The memory that the engine's threads share, among all that the module imports. */
export function memoryIn(imports) {
  return Object.values(imports).flatMap(Object.values).find(isMemory)
}

const isMemory = (value) => value instanceof WebAssembly.Memory

/** An instance of the module that calls directly. */
export function instantiate(module, imports, files) {
  for (const calls of Object.values(imports)) callDirectly(calls, files)
  return WebAssembly.instantiate(module, imports)
}

/** Puts direct calls in front of those that the engine imports. */
export function callDirectly(imports, files) {
  const memory = Object.values(imports).find(isMemory)
  if (memory === undefined) return
  const [onFile, onPath] = [callsOnFiles(memory, files), callsOnPaths(memory, files)]
  const calls = Object.entries(imports).filter((entry) => typeof entry[1] === 'function')
  const known = new Set(calls.map(([, { name }]) => name))
  // One that is missing would get a descriptor that it does not know: then the engine does all in its own way.
  if (![...onFile.keys(), ...onPath.keys()].every((name) => known.has(name))) return
  for (const [key, usual] of calls) {
    const [byFile, byPath] = [onFile.get(usual.name), onPath.get(usual.name)]
    if (byFile) imports[key] = instead(usual, byFile)
    if (byPath) imports[key] = ifBelow(usual, byPath, pathReader(memory, files.roots))
    // The engine's own does nothing, by way of another thread; host-files.ts brings files to the disk.
    if (usual.name === '___syscall_fdatasync') imports[key] = () => 0
  }
}

function instead(usual, direct) {
  // WASI's answer with the number of the error, the others with its negative.
  const sign = usual.name.startsWith('_fd_') ? 1 : -1
  return (fd, ...rest) => {
    const own = Number(fd) - firstDirect
    return own < 0 ? usual(fd, ...rest) : answered(sign, () => direct(own, rest.map(Number)))
  }
}

function ifBelow(usual, direct, readPath) {
  // Those of this kind have the descriptor of a directory in front, which an absolute path does not need.
  const at = usual.name.endsWith('at') ? 1 : 0
  return (...values) => {
    const target = readPath(values[at] ?? 0)
    const answer =
      target === null ? null : answered(-1, () => direct(target, values.slice(at + 1).map(Number)))
    return answer ?? usual(...values)
  }
}

function answered(sign, act) {
  try {
    return act()
  } catch (error) {
    const code = errnoOf(error)
    if (code === undefined) throw error
    return sign * code
  }
}

/** Absolute paths below a root are the host's; writes of a token log may be deferred, which the engine's way knows. */
function pathReader(memory, roots) {
  const starts = roots.map((root) => `${root}/`)
  return (address) => {
    const bytes = Buffer.from(memory.buffer)
    const target = bytes.toString('utf8', Number(address), bytes.indexOf(0, Number(address)))
    const isOurs = starts.some((start) => target.startsWith(start)) && !target.includes('/..')
    return isOurs && !isTokenLog(target) ? target : null
  }
}

function callsOnFiles(memory, { positions }) {
  const view = () => new DataView(memory.buffer)
  const move = (call, fd, vectors, count, from) => {
    let done = 0
    for (let at = vectors; at < vectors + count * vectorBytes; at += vectorBytes) {
      const address = Number(view().getBigUint64(at, true))
      const length = Number(view().getBigUint64(at + 8, true))
      if (length === 0) continue
      const bytes = call(fd, new Uint8Array(memory.buffer, address, length), 0, length, from + done)
      done += bytes
      if (bytes < length) break
    }
    return done
  }
  /** From where the last such call ended. */
  const moveOn =
    (call) =>
    (fd, [vectors = 0, count = 0, at = 0]) => {
      const from = positions[fd] ?? 0
      const bytes = move(call, fd, vectors, count, from)
      positions[fd] = from + bytes
      return writeResult(at, bytes)
    }
  const writeResult = (address, value) => {
    view().setBigInt64(address, BigInt(value), true)
    return 0
  }
  const startOf = (fd, whence) =>
    whence === 0 ? 0 : whence === 1 ? (positions[fd] ?? 0) : fs.fstatSync(fd).size

  return new Map([
    [
      '_fd_pread',
      (fd, [vectors = 0, count = 0, from = 0, at = 0]) =>
        writeResult(at, move(fs.readSync, fd, vectors, count, from)),
    ],
    ['_fd_read', moveOn(fs.readSync)],
    // A descriptor that was opened to read only is refused by the host.
    ['_fd_write', moveOn(fs.writeSync)],
    [
      '_fd_seek',
      (fd, [offset = 0, whence = 0, at = 0]) => {
        const position = startOf(fd, whence) + offset
        if (position < 0) return errno.EINVAL
        positions[fd] = position
        return writeResult(at, position)
      },
    ],
    [
      '_fd_close',
      (fd) => {
        fs.closeSync(fd)
        return 0
      },
    ],
    [
      '_fd_fdstat_get',
      (_fd, [address = 0]) => {
        for (let at = 0; at < 24; at += 8) writeResult(address + at, 0)
        view().setUint8(address, regularFile)
        return 0
      },
    ],
    ['___syscall_fstat64', (fd, [address = 0]) => writeStats(view(), address, fs.fstatSync(fd))],
    // No process inherits it and none locks it.
    ['___syscall_fcntl64', (_fd, [command]) => (command === duplicate ? -errno.EINVAL : 0)],
    ['___syscall_fadvise64', () => 0],
    ['___syscall_fdatasync', () => 0],
    ['___syscall_ioctl', () => -errno.ENOTTY],
    [
      '___syscall_ftruncate64',
      (fd, [size = 0]) => {
        fs.ftruncateSync(fd, size)
        return 0
      },
    ],
    ['___syscall_fchmod', () => -errno.EBADF],
    ['___syscall_dup', () => -errno.EBADF],
    ['___syscall_dup3', () => -errno.EBADF],
  ])
}

function callsOnPaths(memory, { positions, roots }) {
  const writeStatsOrMissing = (address, stats) =>
    stats ? writeStats(new DataView(memory.buffer), address, stats) : -errno.ENOENT
  return new Map([
    [
      '___syscall_openat',
      (target, [flags = 0]) => {
        if ((flags & notDirect) !== 0) return null
        if ((flags & toWrite) !== 0 && !isInUnfinished(target, roots)) return null
        const fd = fs.openSync(target, hostFlags(flags), ownerOnly)
        if (fd < descriptorsMax) {
          positions[fd] = 0
          return firstDirect + fd
        }
        fs.closeSync(fd)
        return null
      },
    ],
    [
      '___syscall_mkdirat',
      (target) => {
        if (!isInUnfinished(target, roots)) return null
        fs.mkdirSync(target, { mode: ownerOnly | 0o100 })
        return 0
      },
    ],
    [
      '___syscall_statfs64',
      (target, [, at = 0]) => writeFigures(new DataView(memory.buffer), at, fs.statfsSync(target)),
    ],
    [
      '___syscall_stat64',
      (target, [at = 0]) => writeStatsOrMissing(at, fs.statSync(target, { throwIfNoEntry: false })),
    ],
    [
      '___syscall_lstat64',
      (target, [at = 0]) => writeStatsOrMissing(at, fs.lstatSync(target, { throwIfNoEntry: false })),
    ],
  ])
}

// Only for the user that the product runs as.
const ownerOnly = 0o600

function hostFlags(flags) {
  const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_TRUNC } = fs.constants
  const access = [O_RDONLY, O_WRONLY, O_RDWR][flags & open.access] ?? O_RDONLY
  return access | (flags & open.create ? O_CREAT : 0) | (flags & open.truncate ? O_TRUNC : 0)
}

/** `struct statfs` as the engine's C library lays it out. */
function writeFigures(view, address, { bsize, blocks, bfree, bavail, files, ffree }) {
  view.setUint32(address + 8, bsize, true)
  for (const [index, count] of [blocks, bfree, bavail, files, ffree].entries()) {
    view.setBigInt64(address + 16 + index * 8, BigInt(count), true)
  }
  view.setUint32(address + 56, 0, true)
  // The longest name of a file.
  view.setUint32(address + 64, 255, true)
  view.setUint32(address + 72, bsize, true)
  view.setUint32(address + 80, 0, true)
  return 0
}

/** `struct stat` as the engine's C library lays it out. */
function writeStats(view, address, stats) {
  const { dev, mode, nlink, rdev, size, blocks, atimeMs, mtimeMs, ctimeMs, ino } = stats
  view.setUint32(address, dev, true)
  view.setUint32(address + 4, mode, true)
  view.setBigUint64(address + 8, BigInt(nlink), true)
  // The engine runs as the owner of everything.
  view.setBigUint64(address + 16, 0n, true)
  view.setUint32(address + 24, rdev, true)
  view.setBigInt64(address + 32, BigInt(size), true)
  view.setInt32(address + 40, 4096, true)
  view.setInt32(address + 44, blocks, true)
  for (const [index, ms] of [atimeMs, mtimeMs, ctimeMs].entries()) {
    view.setBigInt64(address + 48 + index * 16, BigInt(Math.floor(ms / 1000)), true)
    view.setBigUint64(address + 56 + index * 16, BigInt(Math.floor(ms % 1000)) * 1_000_000n, true)
  }
  view.setBigInt64(address + 96, BigInt(ino), true)
  return 0
}
