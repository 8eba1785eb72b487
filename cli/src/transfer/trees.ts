import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { misuse } from '../failure.ts'
import { makePrivateDirectory } from '../private-file.ts'

/** A copy is readable by its owner only, regardless of the original. */
const fileMode = 0o600

type Copied = { files: number; bytes: number }

/** Never overwrites anything. */
export function requireVacant(directory: string): void {
  if (!existsSync(directory) || (statSync(directory).isDirectory() && readdirSync(directory).length === 0))
    return
  throw misuse(`${directory} already exists and is not empty.`, 'Name a directory that does not exist yet.')
}

/** Locks belong to a process, not to a copy. */
const lock = /^engine\.lock/

export function copyTree(from: string, to: string): Copied {
  const stats = lstatSync(from)
  if (stats.isFile()) {
    copyFileSync(from, to)
    chmodSync(to, fileMode)
    return { files: 1, bytes: stats.size }
  }
  // Links of the events engine stay within its directory.
  if (stats.isSymbolicLink()) symlinkSync(relativeTarget(from), to)
  if (!stats.isDirectory()) return { files: 0, bytes: 0 }
  makePrivateDirectory(to)
  const copied = { files: 0, bytes: 0 }
  for (const name of readdirSync(from)) {
    if (lock.test(name)) continue
    const { files, bytes } = copyTree(join(from, name), join(to, name))
    copied.files += files
    copied.bytes += bytes
  }
  return copied
}

function relativeTarget(path: string): string {
  const target = readlinkSync(path)
  return isAbsolute(target) ? relative(dirname(path), target) : target
}

/** By renaming on one file system, otherwise by copying. */
export function moveTree(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  rmSync(to, { recursive: true, force: true })
  try {
    renameSync(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    copyTree(from, to)
    rmSync(from, { recursive: true, force: true })
  }
}
