import { readSite, type SiteState, writeSite } from './files/site-file.ts'
import type { KeptChange, KeptSize } from './kept-change.ts'
import type { KeptAnswer, KeptInput, KeptQuestion, KeptRead } from './kept-read.ts'
import { KeptSite } from './kept-site.ts'
import { KeptView } from './kept-view.ts'
import { NotInRows } from './row-condition.ts'

/** Where a site is written, and read again. */
export type SiteFile = { key: string; path: string }
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

  change({ key, drop, fresh }: KeptChange): null {
    const kept = this.#sites.get(key) ?? { site: new KeptSite(), merges: null }
    this.#sites.set(key, kept)
    kept.site.drop(drop)
    if (fresh !== null) kept.site.add(fresh)
    return null
  }

  /** Writes what is kept of a site into a file; false where nothing is. */
  write({ key, path, state }: SiteCopy): boolean {
    const kept = this.#sites.get(key)
    if (kept !== undefined) writeSite(path, kept.site, { key, state })
    return kept !== undefined
  }

  /** Takes a site from its file, with what was said of it then; null where that cannot be. */
  read({ key, path }: SiteFile): (SiteState & KeptSize) | null {
    const found = readSite(path, key)
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
    const { read } = await readNamed(file, name)
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

async function readNamed(file: string, name: string): Promise<KeptRead<unknown, unknown>> {
  // boundary: the other thread has the same value, and says which file it is from.
  const exported = (await import(file)) as Record<string, KeptRead<unknown, unknown> | undefined>
  const found = exported[name]
  if (found === undefined) throw new Error(`${file} does not export ${name}`)
  return found
}
