/** A usual key: an identifier with what it belongs to, an address without its query. */
const usualKeyCharacters = 128

/**
 * Keeps what was used lately, bounded by entries and by the characters of their keys, which senders choose.
 *
 * Two generations stand in for a least-recently-used list: when the young one is full it becomes the old one, and what
 * is asked for again moves back. A hit costs one look-up and no relinking. At most twice the maxima are held.
 */
export class RecentMap<Value> {
  readonly #entriesMax: number
  readonly #charactersMax: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()
  #characters = 0

  constructor(entriesMax: number, charactersMax = entriesMax * usualKeyCharacters) {
    this.#entriesMax = entriesMax
    this.#charactersMax = charactersMax
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
    // One that takes a large part of all is rarely met twice, and would push out many that are.
    if (key.length > this.#charactersMax / 8) return
    if (this.#young.size >= this.#entriesMax || this.#characters + key.length > this.#charactersMax) {
      this.#old = this.#young
      this.#young = new Map()
      this.#characters = 0
    }
    // Counted again for a key that is there already: the bound is then reached a little early.
    this.#characters += key.length
    this.#young.set(key, value)
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
