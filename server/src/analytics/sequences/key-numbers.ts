const slotsFirst = 1_024

/** What the numbers of keys consist of. */
export type KeyTable = {
  lows: Uint32Array<ArrayBuffer>
  highs: Uint32Array<ArrayBuffer>
  numbers: Int32Array<ArrayBuffer>
  size: number
}

/**
 * Numbers 64-bit keys, given by their halves, in order of appearance. A Map would need each as text or as a
 * number, which has only 53 bits, and takes three times as long. Keys are hashes already, so their low half
 * is the first slot to try.
 */
export class KeyNumbers {
  #lows = new Uint32Array(slotsFirst)
  #highs = new Uint32Array(slotsFirst)
  /** The number of the key in a slot plus one, so that 0 is an empty slot. */
  #numbers = new Int32Array(slotsFirst)
  #size = 0

  /** The same numbers for the same keys. */
  static from({ lows, highs, numbers, size }: KeyTable): KeyNumbers {
    const keys = new KeyNumbers()
    keys.#lows = lows
    keys.#highs = highs
    keys.#numbers = numbers
    keys.#size = size
    return keys
  }

  get table(): KeyTable {
    return { lows: this.#lows, highs: this.#highs, numbers: this.#numbers, size: this.#size }
  }

  get size(): number {
    return this.#size
  }

  /** The number of a key, or -1 if it is new. */
  find(low: number, high: number): number {
    return (this.#numbers[this.#slotOf(low, high)] ?? 0) - 1
  }

  /** The number of a key; a new key gets the next one. */
  take(low: number, high: number): number {
    const slot = this.#slotOf(low, high)
    if (this.#numbers[slot] === 0) {
      this.#lows[slot] = low
      this.#highs[slot] = high
      this.#size += 1
      this.#numbers[slot] = this.#size
      if (this.#size * 3 > this.#numbers.length * 2) {
        this.#grow()
        return this.#size - 1
      }
    }
    return (this.#numbers[slot] ?? 0) - 1
  }

  /** Twice the slots: a table for all rows would be far larger than what the distinct keys need. */
  #grow(): void {
    const [lows, highs, numbers] = [this.#lows, this.#highs, this.#numbers]
    this.#lows = new Uint32Array(lows.length * 2)
    this.#highs = new Uint32Array(lows.length * 2)
    this.#numbers = new Int32Array(lows.length * 2)
    for (let from = 0; from < numbers.length; from += 1) {
      if (numbers[from] === 0) continue
      const slot = this.#slotOf(lows[from] ?? 0, highs[from] ?? 0)
      this.#lows[slot] = lows[from] ?? 0
      this.#highs[slot] = highs[from] ?? 0
      this.#numbers[slot] = numbers[from] ?? 0
    }
  }

  /**
   * The slot of the key, or the empty slot where it belongs. A third of all slots stay empty, so there is one.
   */
  #slotOf(low: number, high: number): number {
    const last = this.#numbers.length - 1
    let slot = low & last
    while (this.#numbers[slot] !== 0 && (this.#lows[slot] !== low || this.#highs[slot] !== high)) {
      slot = (slot + 1) & last
    }
    return slot
  }
}
