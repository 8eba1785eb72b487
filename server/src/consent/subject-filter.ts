/** 16 bits per id and 7 of them set: one false positive in 2,000, by the formula of Bloom filters. */
const bitsPerId = 16
const bitsPerEntry = 7
/** Space to grow before the filter is rebuilt. */
const spareFactor = 2
const idsMin = 4_096
/** 64 MB, which 32 million ids fill. Beyond, there are more false positives, but no id is forgotten. */
const bytesMax = 64 * 1024 * 1024

/** Bloom filter of people who have to be looked up; nearly all others are excluded by it. */
export class SubjectFilter {
  readonly #words: Uint32Array
  readonly #bits: number
  readonly #idsMax: number
  #count = 0

  constructor(idsExpected: number) {
    this.#idsMax = Math.max(idsMin, idsExpected * spareFactor)
    const bytes = Math.min(bytesMax, Math.ceil((this.#idsMax * bitsPerId) / 8))
    this.#words = new Uint32Array(Math.ceil(bytes / 4))
    this.#bits = this.#words.length * 32
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  get isFull(): boolean {
    return this.#count > this.#idsMax && this.bytes < bytesMax
  }

  get bytes(): number {
    return this.#words.byteLength
  }

  add(originalId: string): void {
    const { first, step } = placesOf(originalId)
    for (let index = 0; index < bitsPerEntry; index += 1) {
      const bit = (first + index * step) % this.#bits
      const word = bit >>> 5
      this.#words[word] = (this.#words[word] ?? 0) | (1 << (bit & 31))
    }
    this.#count += 1
  }

  /** False means certainly not. */
  mayHave(originalId: string): boolean {
    if (this.#count === 0) return false
    const { first, step } = placesOf(originalId)
    for (let index = 0; index < bitsPerEntry; index += 1) {
      const bit = (first + index * step) % this.#bits
      if (((this.#words[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false
    }
    return true
  }
}

/** Our ids are digests after their prefix, so their digits are as good as a hash. */
function placesOf(originalId: string): { first: number; step: number } {
  const first = Number.parseInt(originalId.slice(4, 12), 16)
  const step = Number.parseInt(originalId.slice(12, 20), 16)
  // A customer may have sent an id that only looks like ours: any value will do.
  return { first: Number.isNaN(first) ? 0 : first, step: Number.isNaN(step) ? 1 : (step | 1) >>> 0 }
}
