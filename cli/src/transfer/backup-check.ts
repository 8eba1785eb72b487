import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { isRecord } from '@assay/contract'
import { CommandFailure, exitCodes, misuse } from '../failure.ts'
import { readStores, type Stores } from './server-stores.ts'

export const backupName = 'backup.json'
/** Contents of a data directory: stores, log, archives and SDKs, and the identity of the node. */
export const backupNames: readonly string[] = [
  'control',
  'events',
  'exports',
  'sdk',
  'log',
  'node-id',
  'vault.key',
  'first-run.json',
  'demo.json',
]
/** Directories of the stores are about five deep. */
const depthMax = 40

/**
 * Checks a backup before a byte is copied: it is complete, contains only what a backup contains, and no link
 * leads out of it. Returns the names to copy.
 */
export function requireBackup(source: string): { names: string[]; stores: Stores } {
  const promised = readPromise(source)
  const names = readdirSync(source).filter((name) => name !== backupName)
  const found = { files: 0, bytes: 0 }
  for (const name of names) {
    if (!backupNames.includes(name)) throw refused(join(source, name), 'is not part of a backup')
    look(source, join(source, name), depthMax, found)
  }
  if (found.bytes < promised.bytes || found.files < promised.files) {
    const written = `${promised.files} with ${promised.bytes} were written`
    const said = `The backup has ${found.files} files with ${found.bytes} bytes, and ${written}.`
    throw new CommandFailure(exitCodes.found, said, 'It is incomplete: nothing was restored.')
  }
  return { names, stores: promised.stores }
}

function readPromise(source: string): { files: number; bytes: number; stores: Stores } {
  const path = join(source, backupName)
  if (!existsSync(path)) {
    throw misuse(`There is no ${backupName} in ${source}.`, 'Name a directory written by assay backup.')
  }
  if (!lstatSync(path).isFile()) throw refused(path, 'is not a plain file')
  const read = parse(readFileSync(path, 'utf8'))
  const { files, bytes, taken_at, stores } = isRecord(read) ? read : {}
  const isSound = isCount(files) && isCount(bytes) && !Number.isNaN(Date.parse(String(taken_at)))
  if (!isSound) throw refused(path, 'is not the description of a backup')
  return { files: Number(files), bytes: Number(bytes), stores: readStores(stores) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const isCount = (value: unknown) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

function look(source: string, path: string, depth: number, found: { files: number; bytes: number }): void {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) {
    requireInner(source, path)
    return
  }
  if (stats.isFile()) {
    found.files += 1
    found.bytes += stats.size
    return
  }
  if (!stats.isDirectory()) throw refused(path, 'is neither a file nor a directory')
  if (depth === 0) throw refused(path, `is more than ${depthMax} directories deep`)
  for (const name of readdirSync(path)) look(source, join(path, name), depth - 1, found)
}

/** The events engine finds its tables by links within its directory; any other link is refused. */
function requireInner(source: string, path: string): void {
  const target = resolve(dirname(path), readlinkSync(path))
  if (!target.startsWith(resolve(source) + sep)) throw refused(path, 'is a link that leads out of the backup')
}

function refused(path: string, why: string): CommandFailure {
  return new CommandFailure(exitCodes.found, `${path} ${why}.`, 'Nothing was restored.')
}
