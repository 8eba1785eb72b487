/** A usual key: an identifier with its scope, a URL without its query. */
const usualKeyCharacters = 128

/**
 * Keeps recently used entries, bounded by their number and by their characters: of the keys, which senders
 * choose, and of the values too if they are weighed.
 *
 * Two generations approximate a least-recently-used list: when the young one is full it becomes the old one,
 * and entries that are read again move back. A hit costs one look-up and no relinking. At most twice the
 * maxima are stored.
 */
export class RecentMap<Value> {
  readonly #entriesMax: number
  readonly #charactersMax: number
  readonly #weigh: (value: Value) => number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()
  #characters = 0

  /** `weigh` returns the characters of a value that is not always small. */
  constructor(
    entriesMax: number,
    charactersMax = entriesMax * usualKeyCharacters,
    weigh: (value: Value) => number = () => 0,
  ) {
    this.#entriesMax = entriesMax
    this.#charactersMax = charactersMax
    this.#weigh = weigh
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(key: string): Value | undefined {
    const recent = this.#young.get(key)
    if (recent !== undefined) return recent
    const known = this.#old.get(key)
    if (known !== undefined) this.set(key, known)
    return known
  }

  set(key: string, value: Value): void {
    // An entry that takes a large part of the total rarely repeats, and would evict many that do.
    const characters = key.length + this.#weigh(value)
    if (characters > this.#charactersMax / 8) {
      this.delete(key)
      return
    }
    if (this.#young.size >= this.#entriesMax || this.#characters + characters > this.#charactersMax) {
      this.#old = this.#young
      this.#young = new Map()
      this.#characters = 0
    }
    // Counted again for an existing key: the bound is then reached a little early.
    this.#characters += characters
    this.#young.set(key, value)
  }

  /** In no particular order. */
  *entries(): Generator<[string, Value]> {
    yield* this.#young
    for (const entry of this.#old) if (!this.#young.has(entry[0])) yield entry
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
    this.#characters = 0
  }
}
