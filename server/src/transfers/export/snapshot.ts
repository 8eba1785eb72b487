import { copyFile, link, mkdir, readdir, readlink, rm, stat, symlink } from 'node:fs/promises'
import { dirname, isAbsolute, relative } from 'node:path'

export type Copied = { files: number; bytes: number }

/** Every part of a table has it, and nothing in a directory that has it is ever written again. */
const sealName = 'checksums.txt'
/** Locks are of a process, a spool of a statement, and parts that begin so are not in place yet or on their way out. */
const passing = /^(?:engine\.lock.*|spool|tmp_.*|delete_tmp_.*|postmaster\.pid)$/

/** The engine cleans up on its own; it would have to do so each time, at the very moment. */
const triesMax = 5

/**
 * Copies a directory whose owner is paused. Immutable files are linked, which takes no time and no space, or
 * copied if that fails. If something was cleaned up meanwhile, its replacement may not have existed when the
 * names were read, so everything is copied again.
 */
export async function snapshotDirectory(from: string, to: string): Promise<Copied> {
  for (let tries = 1; ; tries++) {
    const copied: Copied = { files: 0, bytes: 0 }
    try {
      await copyInto(from, to, copied)
      return copied
    } catch (error) {
      if (!isGone(error) || tries === triesMax) throw error
      await rm(to, { recursive: true, force: true })
    }
  }
}

async function copyInto(from: string, to: string, copied: Copied): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true })
  const isSealed = entries.some(({ name }) => name === sealName)
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of entries) {
    const [source, target] = [`${from}/${entry.name}`, `${to}/${entry.name}`]
    if (passing.test(entry.name)) continue
    if (entry.isDirectory()) await copyInto(source, target, copied)
    else if (entry.isSymbolicLink()) await symlink(await relativeTarget(source), target)
    else if (entry.isFile()) await copyOne(source, target, isSealed, copied)
  }
}

/** The events engine finds its tables by links within its directory, which the copy has to have as its own. */
async function relativeTarget(path: string): Promise<string> {
  const target = await readlink(path)
  return isAbsolute(target) ? relative(dirname(path), target) : target
}

async function copyOne(source: string, target: string, isSealed: boolean, copied: Copied): Promise<void> {
  const isLinked = isSealed && (await link(source, target).then(() => true, isGoneOrFalse))
  if (!isLinked) await copyFile(source, target)
  copied.files++
  copied.bytes += (await stat(target)).size
}

/** A file system without links, or another one, is no failure. */
function isGoneOrFalse(error: unknown): false {
  if (isGone(error)) throw error
  return false
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
