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

/** Whatever the copy came from, nobody but its owner reads it. */
const fileMode = 0o600

export type Copied = { files: number; bytes: number }

/** Nothing is ever written over. */
export function requireVacant(directory: string): void {
  if (!existsSync(directory) || (statSync(directory).isDirectory() && readdirSync(directory).length === 0))
    return
  throw misuse(`${directory} is there already, and not empty.`, 'Name a directory that is not there yet.')
}

/** Locks are of a process; a copy belongs to none. */
const lock = /^engine\.lock/

export function copyTree(from: string, to: string): Copied {
  const stats = lstatSync(from)
  if (stats.isFile()) {
    copyFileSync(from, to)
    chmodSync(to, fileMode)
    return { files: 1, bytes: stats.size }
  }
  // Links of the events engine lead from one place in its directory to another.
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

/** At once where both are on one file system, else by copying. */
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
