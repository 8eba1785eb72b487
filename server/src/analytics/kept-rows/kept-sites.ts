import type { KeptAnswer, KeptInput, KeptQuestion, KeptRead } from './kept-read.ts'
import { daysOf, KeptSite } from './kept-site.ts'
import { KeptView } from './kept-view.ts'
import { NotInRows } from './row-condition.ts'

type Kept = { site: KeptSite; merges: Uint8Array<ArrayBuffer> | null }

/** The rows that are kept in one thread. Which sites, which days and how much of it: the other side says. */
export class KeptSites {
  // bounded: by keptBytesMax of the other side.
  readonly #sites = new Map<string, Kept>()

  forget(key: string): null {
    this.#sites.delete(key)
    return null
  }

  async answer(
    { key, forget, drop, fresh, merges }: KeptInput,
    { file, name, isOfVisits, range, options }: KeptQuestion,
  ): Promise<KeptAnswer> {
    for (const one of forget) this.#sites.delete(one)
    const kept = this.#sites.get(key) ?? { site: new KeptSite(), merges: null }
    this.#sites.set(key, kept)
    const { site } = kept
    site.drop(drop)
    for (const { rows, span } of fresh) site.add(rows, span)
    if (merges !== 'same') kept.merges = merges
    if (!site.has(range.spans.flatMap(daysOf))) return { isLost: true }
    const { read } = await readNamed(file, name)
    const view = new KeptView(site, range, isOfVisits ? null : kept.merges)
    const answer = unlessNotInRows(() => read(view, options))
    return { isLost: false, bytes: site.bytes + (kept.merges?.byteLength ?? 0), answer }
  }
}

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
