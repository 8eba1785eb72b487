import type { KeptSize } from './kept-change.ts'
import type { KeptDays } from './updates/kept-days.ts'

/** What the thread keeps of a site, in which life of the thread, and whether there is a file with all of it. */
export type SiteRecord = KeptDays & KeptSize & { life: number; merges: string | null; isInFile: boolean }

/** The sites that are kept, the most recently asked last, and one question at a time about each. */
export class SiteRecords {
  // bounded: by bytesMax, as makeRoom keeps it.
  readonly #sites = new Map<string, SiteRecord>()
  // bounded: by the requests that are being answered.
  readonly #turns = new Map<string, Promise<unknown>>()
  // bounded: by the requests that are being answered.
  readonly #stops = new Map<string, AbortController>()
  readonly #bytesMax: number

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get(key: string): SiteRecord | undefined {
    return this.#sites.get(key)
  }

  set(key: string, site: SiteRecord): void {
    this.#sites.delete(key)
    this.#sites.set(key, site)
  }

  delete(key: string): boolean {
    return this.#sites.delete(key)
  }

  /** All of them, the least recently asked first. */
  get keys(): string[] {
    return [...this.#sites.keys()]
  }

  /** Those of a workspace, also where the first question is being answered. */
  keysOf(workspaceId: string): string[] {
    const keys = new Set([...this.#sites.keys(), ...this.#turns.keys()])
    return [...keys].filter((key) => key.startsWith(`${workspaceId} `))
  }

  /** Each question begins with what the last one left; the signal says that it is to end soon. */
  inTurn<Result>(key: string, work: (stop: AbortSignal) => Promise<Result>): Promise<Result> {
    const stop = this.#stops.get(key) ?? new AbortController()
    this.#stops.set(key, stop)
    const begin = () => work(stop.signal)
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(begin, begin)
    this.#turns.set(key, turn)
    return turn.finally(() => {
      if (this.#turns.get(key) !== turn) return
      this.#turns.delete(key)
      this.#stops.delete(key)
    })
  }

  /** Ends all questions about a site that were asked so far. */
  stop(key: string): void {
    this.#stops.get(key)?.abort()
    this.#stops.delete(key)
  }

  /** Takes the least recently asked away while all are too large together, the asked one last; says which. */
  makeRoom(key: string): string[] {
    const gone: string[] = []
    let total = [...this.#sites.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    for (const one of [...this.#sites.keys()].filter((other) => other !== key).concat(key)) {
      if (total <= this.#bytesMax) break
      total -= this.#sites.get(one)?.bytes ?? 0
      if (this.#sites.delete(one)) gone.push(one)
    }
    return gone
  }
}
