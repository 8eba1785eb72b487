/**
 * Numbers 64-bit keys, given by their halves, in order of appearance. A Map would need each as text or as a
 * number, which has only 53 bits, and takes three times as long. Keys are hashes already, so their low half
 * is the first slot to try.
 */
export class KeyNumbers {
  readonly #lows: Uint32Array
  readonly #highs: Uint32Array
  /** The number of the key in a slot plus one, so that 0 is an empty slot. */
  readonly #numbers: Int32Array
  #size = 0

  /** For at most this many distinct keys. */
  constructor(keysMax: number) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(1, keysMax) * 2))
    this.#lows = new Uint32Array(slots)
    this.#highs = new Uint32Array(slots)
    this.#numbers = new Int32Array(slots)
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
    }
    return (this.#numbers[slot] ?? 0) - 1
  }

  /**
   * The slot of the key, or the empty slot where it belongs. Half of all slots stay empty, so there is one.
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
