import { type KeptAnswer, type KeptInput, type KeptQuestion, ofVisitsAlone, readKept } from './kept-reads.ts'
import { daysOf, KeptSite } from './kept-site.ts'

type Kept = { site: KeptSite; merges: Uint8Array<ArrayBuffer> | null }

/** The rows that are kept in one thread. Which sites, which days and how much of it: the other side says. */
export class KeptSites {
  // bounded: by keptBytesMax of the other side.
  readonly #sites = new Map<string, Kept>()

  forget(key: string): null {
    this.#sites.delete(key)
    return null
  }

  answer({ key, forget, drop, fresh, merges }: KeptInput, asked: KeptQuestion): KeptAnswer {
    for (const one of forget) this.#sites.delete(one)
    const kept = this.#sites.get(key) ?? { site: new KeptSite(), merges: null }
    this.#sites.set(key, kept)
    const { site } = kept
    site.drop(drop)
    for (const { rows, span } of fresh) site.add(rows, span)
    if (merges !== 'same') kept.merges = merges
    if (!site.has(asked.range.spans.flatMap(daysOf))) return { isLost: true }
    const isOfVisits = ofVisitsAlone.includes(asked.name)
    return {
      isLost: false,
      bytes: site.bytes + (kept.merges?.byteLength ?? 0),
      answer: readKept(asked, site.rows(asked.range, isOfVisits ? null : kept.merges), site),
    }
  }
}
