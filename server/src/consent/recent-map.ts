/**
 * Keeps what was lately used, without growing for ever: when the young generation is full it becomes the old one, and
 * what is asked for again moves back. At most twice `entriesMax` are held.
 */
export class RecentMap<Value> {
  readonly #entriesMax: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax
  }

  get(key: string): Value | undefined {
    const recent = this.#young.get(key)
    if (recent !== undefined) return recent
    const known = this.#old.get(key)
    if (known !== undefined) this.set(key, known)
    return known
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#entriesMax) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
