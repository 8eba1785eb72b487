/** Two generations of 100,000 pairs at about 120 bytes: active visitors who are signed in. */
const generationMax = 100_000

/** Recently observed pairs. When the young generation is full it becomes the old one. */
export class RecentPairs {
  // bounded: by generationMax, of two ids of ours.
  #young = new Set<string>()
  // bounded: by generationMax.
  #old = new Set<string>()

  has(key: string): boolean {
    if (this.#young.has(key)) return true
    if (!this.#old.has(key)) return false
    this.add(key)
    return true
  }

  add(key: string): void {
    if (this.#young.size >= generationMax) {
      this.#old = this.#young
      this.#young = new Set()
    }
    this.#young.add(key)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
