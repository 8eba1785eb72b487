/** A byte has one bit of each layer. */
const layersMax = 8
/**
 * Positions per id in a full layer. Ten bits give 1 % in one filter, but all layers are checked for one id
 * and their errors add up: with 16, seven full layers give 0.7 %, measured.
 */
const positionsPerId = 16
/** All bits of an id are in one block of this many adjacent bytes: one page, a few cache lines. */
const blockPositions = 512
const twoTo32 = 4_294_967_296

type Layer = { count: number; newestDay: number }

/**
 * Bloom filters of 64-bit ids, one per period, so that the oldest can be dropped. They are the bits of one
 * byte array: one read of eight bytes checks all of them, where separate filters would cost a cache miss
 * each.
 */
export class IdFilters {
  readonly #layers: (Layer | undefined)[] = Array.from({ length: layersMax })
  readonly #layerIdsMax: number
  readonly #blocks: number
  readonly #blocksPerHi: number
  /** Allocated with the first id: most installations never exceed their recent ids. */
  #positions = new Uint8Array(0)
  #current = -1

  /** One layer more than `idsMax` fits, since the oldest layer contains expired ids. */
  constructor(idsMax: number) {
    this.#layerIdsMax = Math.max(1, Math.ceil(idsMax / (layersMax - 1)))
    this.#blocks = Math.ceil((this.#layerIdsMax * positionsPerId) / blockPositions)
    this.#blocksPerHi = this.#blocks / twoTo32
  }

  get count(): number {
    return this.#layers.reduce((sum, layer) => sum + (layer?.count ?? 0), 0)
  }

  get bytes(): number {
    return this.#positions.byteLength
  }

  add(hi: number, lo: number, day: number): void {
    const layer = this.#layerWithRoom()
    layer.count += 1
    if (day > layer.newestDay) layer.newestDay = day
    const positions = this.#positions
    const first = ((hi * this.#blocksPerHi) >>> 0) * blockPositions
    const bit = 1 << this.#current
    for (let index = 0; index < salts.length; index += 1) {
      const position = first + (Math.imul(lo, salts[index] ?? 0) >>> 23)
      positions[position] = (positions[position] ?? 0) | bit
    }
  }

  /** False means certainly not. */
  mayHave(hi: number, lo: number): boolean {
    if (this.#positions.length === 0) return false
    const positions = this.#positions
    const first = ((hi * this.#blocksPerHi) >>> 0) * blockPositions
    let layers = 255
    for (let index = 0; index < salts.length; index += 1) {
      layers &= positions[first + (Math.imul(lo, salts[index] ?? 0) >>> 23)] ?? 0
      if (layers === 0) return false
    }
    return true
  }

  /** Drops the layers whose ids are all of an earlier day. */
  dropOlderThan(day: number): void {
    let kept = 255
    for (const [index, layer] of this.#layers.entries()) {
      if (layer === undefined || layer.newestDay >= day) continue
      this.#layers[index] = undefined
      kept &= ~(1 << index)
      if (index === this.#current) this.#current = -1
    }
    if (kept === 255) return
    if (this.count === 0) this.#positions = new Uint8Array(0)
    const words = new Uint32Array(this.#positions.buffer)
    const keptInWord = Math.imul(kept, 0x01010101)
    for (let index = 0; index < words.length; index += 1) words[index] = (words[index] ?? 0) & keptInWord
  }

  /**
   * When all layers are used the current one is overfilled: more false positives, but nothing is forgotten.
   */
  #layerWithRoom(): Layer {
    const current = this.#layers[this.#current]
    if (current !== undefined && current.count < this.#layerIdsMax) return current
    const free = this.#layers.indexOf(undefined)
    if (free < 0 && current !== undefined) return current
    if (this.#positions.length === 0) this.#positions = new Uint8Array(this.#blocks * blockPositions)
    const layer = { count: 0, newestDay: Number.NEGATIVE_INFINITY }
    this.#layers[free] = layer
    this.#current = free
    return layer
  }
}

/**
 * Odd multipliers that spread 32 bits: those of the split block filter in the Parquet format specification.
 */
const salts = Uint32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
)
