/**
 * Numbers keys of 64 bits, given by their halves, in the order in which they come. A Map would want each as a text or
 * as a number that holds 53 bits, and takes three times as long. Keys are hashes already, so their low half is the
 * place to look first.
 */
export class KeyNumbers {
  readonly #lows: Uint32Array
  readonly #highs: Uint32Array
  /** The number of the key in a slot, and one more, so that 0 is an empty slot. */
  readonly #numbers: Int32Array
  #size = 0

  /** For so many different keys at most. */
  constructor(keysMax: number) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(1, keysMax) * 2))
    this.#lows = new Uint32Array(slots)
    this.#highs = new Uint32Array(slots)
    this.#numbers = new Int32Array(slots)
  }

  get size(): number {
    return this.#size
  }

  /** The number of a key, or -1 where it never came. */
  find(low: number, high: number): number {
    return (this.#numbers[this.#slotOf(low, high)] ?? 0) - 1
  }

  /** The number of a key, which is the next one where it never came before. */
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

  /** Where the key lies, or the empty slot where it would. Half of all slots stay empty, so there is one. */
  #slotOf(low: number, high: number): number {
    const last = this.#numbers.length - 1
    let slot = low & last
    while (this.#numbers[slot] !== 0 && (this.#lows[slot] !== low || this.#highs[slot] !== high)) {
      slot = (slot + 1) & last
    }
    return slot
  }
}
