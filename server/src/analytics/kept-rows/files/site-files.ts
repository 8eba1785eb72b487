import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../platform/clock.ts'
import { freeBytes, reservedBytes } from '../../../platform/files/free-space.ts'
import { dayMs } from '../../../platform/units.ts'
import type { ComputeWorker } from '../../sequences/compute-worker.ts'
import type { CountPlace } from '../day-count.ts'
import type { SiteRecord } from '../site-records.ts'
import { draftSuffix } from './site-file.ts'

/** A site without a question for so long is read from the store. */
const ageMaxMs = 7 * dayMs

type Known = Omit<SiteRecord, 'life'>

export type FileOptions = { folder: string; bytesMax: number; counts: readonly CountPlace[] }

/** What is kept of sites, in files: after a start, or a quiet hour, their events need not be read again. */
export class SiteFiles {
  readonly #options: FileOptions
  readonly #computeWorker: ComputeWorker
  readonly #now: Clock

  constructor(options: FileOptions, computeWorker: ComputeWorker, now: Clock) {
    this.#options = options
    this.#computeWorker = computeWorker
    this.#now = now
  }

  /** Whether there is a file with it then. */
  async write(key: string, record: SiteRecord): Promise<boolean> {
    const { bytes, days, summed, parts } = record
    if (record.isInFile) return true
    if (bytes > this.#options.bytesMax) return false
    const path = this.#pathOf(key)
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    if ((await freeBytes(this.#options.folder)) - bytes < reservedBytes) return false
    const state = { days: [...days], summed: [...summed], parts }
    return this.#computeWorker.run('write', { key, path, sources: this.#sources, state }, {})
  }

  async read(key: string): Promise<Known | null> {
    const file = { key, path: this.#pathOf(key), sources: this.#sources }
    const found = await this.#computeWorker.run('read', file, {})
    if (found === null) return null
    const { days, summed, parts, bytes, rowBytes } = found
    const size = { bytes, rowBytes }
    return { days: new Set(days), summed: new Set(summed), parts, ...size, merges: null, isInFile: true }
  }

  /** How many there are of a workspace. */
  async count(workspaceId: string): Promise<number> {
    return (await namesIn(this.#folderOf(workspaceId))).length
  }

  async drop(workspaceId: string): Promise<void> {
    await rm(this.#folderOf(workspaceId), { recursive: true, force: true })
  }

  /** Removes what is old, what was left half written, and what is more than fits: the oldest first. */
  async tidy(): Promise<void> {
    const paths = (await namesIn(this.#options.folder, true)).map((name) => join(this.#options.folder, name))
    const files = (await Promise.all(paths.map(fileAt))).filter((file) => file !== null)
    let room = this.#options.bytesMax
    for (const { path, bytes, atMs } of files.sort((one, other) => other.atMs - one.atMs)) {
      const isOld = atMs < this.#now() - ageMaxMs
      if (isOld || path.endsWith(draftSuffix) || bytes > room) await rm(path, { force: true })
      else room -= bytes
    }
  }

  get #sources(): string[] {
    return this.#options.counts.flatMap(({ sources }) => sources)
  }

  #folderOf(workspaceId: string): string {
    return join(this.#options.folder, nameOf(workspaceId))
  }

  #pathOf(key: string): string {
    return join(this.#folderOf(key.slice(0, key.indexOf(' '))), nameOf(key))
  }
}

const nameOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** Nothing where there is no such folder. */
async function namesIn(folder: string, recursive = false): Promise<string[]> {
  try {
    return await readdir(folder, { recursive })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

async function fileAt(path: string): Promise<{ path: string; bytes: number; atMs: number } | null> {
  const found = await stat(path).catch(() => null)
  return found?.isFile() === true ? { path, bytes: found.size, atMs: found.mtimeMs } : null
}
