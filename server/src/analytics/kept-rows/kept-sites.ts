import type { CountPlace, DayCount } from './day-count.ts'
import { readSite, type SiteState, writeSite } from './files/site-file.ts'
import type { KeptChange, KeptSize } from './kept-change.ts'
import type { KeptAnswer, KeptInput, KeptQuestion, KeptRead } from './kept-read.ts'
import { KeptSite } from './kept-site.ts'
import { KeptView } from './kept-view.ts'
import { NotInRows } from './row-condition.ts'

/** Where a site is written, and read again; and the folders of what is counted of its days. */
export type SiteFile = { key: string; path: string; sources: readonly string[] }
export type SiteCopy = SiteFile & { state: SiteState }

type Kept = { site: KeptSite; merges: Uint8Array<ArrayBuffer> | null }

/** The rows that are kept in one thread. Which sites, which days and how much of it: the other side says. */
export class KeptSites {
  // bounded: by keptBytesMax of the other side.
  readonly #sites = new Map<string, Kept>()

  forget(key: string): null {
    this.#sites.delete(key)
    return null
  }

  async change({ key, drop, fresh }: KeptChange): Promise<null> {
    const counts = await Promise.all((fresh?.counts ?? []).map(readCount))
    const kept = this.#sites.get(key) ?? { site: new KeptSite(), merges: null }
    this.#sites.set(key, kept)
    kept.site.drop(drop)
    if (fresh !== null) kept.site.add(fresh, counts)
    return null
  }

  /** Writes what is kept of a site into a file; false where nothing is. */
  write({ key, path, sources, state }: SiteCopy): boolean {
    const kept = this.#sites.get(key)
    if (kept !== undefined) writeSite(path, kept.site, { key, sources, state })
    return kept !== undefined
  }

  /** Takes a site from its file, with what was said of it then; null where that cannot be. */
  read({ key, path, sources }: SiteFile): (SiteState & KeptSize) | null {
    const found = readSite(path, key, sources)
    if (found === null) return null
    const kept = { site: found.site, merges: null }
    this.#sites.set(key, kept)
    return { ...found.state, ...sizeOf(kept) }
  }

  async answer(
    { key, merges }: KeptInput,
    { file, name, isOfVisits, range, needed, options }: KeptQuestion,
  ): Promise<KeptAnswer> {
    const kept = this.#sites.get(key)
    if (kept === undefined || !kept.site.has(needed)) return { isLost: true }
    if (merges !== 'same') kept.merges = merges
    // boundary: the other thread has the same value, and says which file it is from.
    const { read } = (await readNamed(file, name)) as KeptRead<unknown, unknown>
    const view = new KeptView(kept.site, range, isOfVisits ? null : kept.merges)
    const answer = unlessNotInRows(() => read(view, options))
    return { isLost: false, answer, ...sizeOf(kept) }
  }
}

const sizeOf = ({ site, merges }: Kept): KeptSize => ({
  bytes: site.bytes + (merges?.byteLength ?? 0),
  rowBytes: site.rowBytes,
})

function unlessNotInRows<Answer>(read: () => Answer): Answer | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotInRows) return null
    throw error
  }
}

async function readCount({ file, name }: CountPlace): Promise<DayCount<unknown>> {
  // boundary: as with a question.
  return (await readNamed(file, name)) as DayCount<unknown>
}

async function readNamed(file: string, name: string): Promise<unknown> {
  // boundary: a module is an object.
  const found = ((await import(file)) as Record<string, unknown>)[name]
  if (found === undefined) throw new Error(`${file} does not export ${name}`)
  return found
}
