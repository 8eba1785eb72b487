import type { Events } from '../../store/events.ts'
import type { ComputeWorker } from '../sequences/compute-worker.ts'
import type { RowBounds } from '../tally/row-bounds.ts'
import type { CountPlace } from './day-count.ts'
import type { SiteFiles } from './files/site-files.ts'
import type { SiteRecord, SiteRecords } from './site-records.ts'
import { noDays } from './updates/kept-days.ts'

export type KeptNeeds = {
  events: Events
  computeWorker: ComputeWorker
  bounds: RowBounds & { keptMax: number }
  sites: SiteRecords
  /** Null where other nodes use the same stores: they would have to forget what lies in files of this one. */
  files: SiteFiles | null
  /** What is counted of days without rows, besides an overview. */
  counts: readonly CountPlace[]
}

export const nothingKept = { ...noDays, merges: null, bytes: 0, rowBytes: 0, isInFile: false }

/** Writes it into its file, where there is something that no file has. */
export async function writeFile({ sites, files, computeWorker }: KeptNeeds, key: string): Promise<void> {
  const site = sites.get(key)
  if (files === null || site?.life !== computeWorker.life()) return
  site.isInFile = await files.write(key, site)
}

/** What the thread has of the site; what was in its file, where it has nothing. */
export async function recordOf({ sites, files, computeWorker }: KeptNeeds, key: string): Promise<SiteRecord> {
  computeWorker.prepare()
  const life = computeWorker.life()
  if (sites.get(key)?.life !== life) {
    const found = await files?.read(key)
    if (found) sites.set(key, { ...found, life })
  }
  forgetSoon(computeWorker, sites.makeRoom(key))
  const site = sites.get(key)
  return site?.life === life ? site : { ...nothingKept, life }
}

/** Before whatever the thread is asked next. A thread that fails has forgotten everything. */
export function forgetSoon(computeWorker: ComputeWorker, keys: readonly string[]): void {
  forgetAll(computeWorker, keys).catch(() => {})
}

export async function forgetAll(computeWorker: ComputeWorker, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => computeWorker.run('forget', { key }, {})))
}
