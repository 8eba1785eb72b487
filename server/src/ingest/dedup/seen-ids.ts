import xxhash from 'xxhash-wasm'
import { IdFilters } from './seen-ids-filter.ts'
import { IdTable, slotsPerId } from './seen-ids-table.ts'

/** The id has certainly not been seen. */
export const neverSeen = -1
/** The id may be older than the recent ones: only the store knows. */
export const possiblyOlder = -2

export type SeenIds = {
  /** The payload (0 or more), or `neverSeen`, or `possiblyOlder`. */
  lookup(hi: number, lo: number): number
  /**
   * `payload` is a byte, which replaces that of a known id; `day` is a day number that decides until when the
   * id is kept.
   */
  add(hi: number, lo: number, payload: number, day: number): void
  /** Undoes an add whose event was not stored after all. */
  remove(hi: number, lo: number): void
  /** Adds many ids, as at start. Oldest first, since the last ones count as recent. */
  load(hi: Uint32Array, lo: Uint32Array, payload: Uint8Array | number, day: number): void
  /** Drops older ids in periods that end before that day. Ids of that day or later are never dropped. */
  dropOlderThan(day: number): void
  /** Ids that are known with their payload. */
  readonly size: number
  /** Ids that are only known as possible. */
  readonly olderSize: number
  readonly bytes: number
}

/** Four, so that eviction removes a quarter of the recent ids and not all of them. */
const generations = 4
/** Generation numbers fit one byte and repeat after 256, when the earlier ones are long gone. */
const generationNumbers = 256
/** A generation is evicted while the next one fills: after this many adds, a share of all slots is swept. */
const addsPerSweep = 64
const slotsPerSweep = addsPerSweep * slotsPerId * generations
const payloadMax = 255

/**
 * At most `recentMax` ids are known exactly, at least the last three quarters of that. Older ones go to
 * filters, sized for `olderMax` of them: with more, nothing is forgotten, but the store is queried for more
 * than 1 % of new ids.
 */
export function createSeenIds({ recentMax, olderMax }: { recentMax: number; olderMax: number }): SeenIds {
  return new GenerationalIds(recentMax, olderMax)
}

class GenerationalIds implements SeenIds {
  readonly #recent: IdTable
  readonly #older: IdFilters
  readonly #generationIdsMax: number
  /** The newest day of the ids of each generation, by its number. */
  readonly #newestDays = new Float64Array(generationNumbers).fill(Number.NEGATIVE_INFINITY)
  #generationsBegun = 1
  #generation = 0
  #generationIds = 0
  #leaving = -1

  constructor(recentMax: number, olderMax: number) {
    this.#generationIdsMax = Math.max(1, Math.floor(recentMax / generations))
    this.#recent = new IdTable(this.#generationIdsMax * generations)
    this.#older = new IdFilters(olderMax)
  }

  get size(): number {
    return this.#recent.count
  }

  get olderSize(): number {
    return this.#older.count
  }

  get bytes(): number {
    return this.#recent.bytes + this.#older.bytes
  }

  lookup(hi: number, lo: number): number {
    const filledLo = notEmpty(hi, lo)
    const payload = this.#recent.get(hi, filledLo)
    if (payload >= 0) return payload
    return this.#older.mayHave(hi, filledLo) ? possiblyOlder : neverSeen
  }

  add(hi: number, lo: number, payload: number, day: number): void {
    if (payload < 0 || payload > payloadMax)
      throw new RangeError(`a payload is 0 to ${payloadMax}, not ${payload}`)
    if (this.#generationIds === this.#generationIdsMax) this.#beginGeneration()
    if (this.#recent.isSweeping) this.#makeRoom()
    const countBefore = this.#recent.count
    const generation = this.#recent.set(hi, notEmpty(hi, lo), payload, this.#generation)
    this.#generationIds += this.#recent.count - countBefore
    if (day > (this.#newestDays[generation] ?? day)) this.#newestDays[generation] = day
  }

  remove(hi: number, lo: number): void {
    const generation = this.#recent.delete(hi, notEmpty(hi, lo))
    if (generation === this.#generation) this.#generationIds -= 1
  }

  load(hi: Uint32Array, lo: Uint32Array, payload: Uint8Array | number, day: number): void {
    this.#recent.reserve(this.#recent.count + hi.length)
    for (let index = 0; index < hi.length; index += 1) {
      const own = typeof payload === 'number' ? payload : (payload[index] ?? 0)
      this.add(hi[index] ?? 0, lo[index] ?? 0, own, day)
    }
  }

  dropOlderThan(day: number): void {
    this.#older.dropOlderThan(day)
  }

  #beginGeneration(): void {
    if (this.#recent.isSweeping) this.#recent.sweep(this.#recent.slots, this.#passOn)
    this.#generation = this.#generationsBegun % generationNumbers
    this.#generationsBegun += 1
    this.#generationIds = 0
    this.#newestDays[this.#generation] = Number.NEGATIVE_INFINITY
    if (this.#generationsBegun <= generations) return
    this.#leaving = (this.#generationsBegun - 1 - generations) % generationNumbers
    this.#recent.beginSweep(this.#leaving)
  }

  /**
   * A few slots at a time, because moving a million ids at once would block all requests for about 100 ms.
   */
  #makeRoom(): void {
    const isFull = this.#recent.count >= this.#generationIdsMax * generations
    if (isFull || this.#generationIds % addsPerSweep === 0) this.#recent.sweep(slotsPerSweep, this.#passOn)
  }

  readonly #passOn = (hi: number, lo: number): void => {
    this.#older.add(hi, lo, this.#newestDays[this.#leaving] ?? Number.POSITIVE_INFINITY)
  }
}

/** Both words 0 mark an empty slot, so one of 2^64 ids is mapped to its neighbour. */
function notEmpty(hi: number, lo: number): number {
  return hi === 0 && lo === 0 ? 1 : lo
}

type IdHasher = {
  /**
   * Hashes an id of one workspace; `kind` is one character, so that ids of different kinds do not collide.
   */
  hash(workspaceId: string, kind: string, id: string): void
  /** The words of the last hash, read from here so that hashing allocates no result. */
  readonly hi: number
  readonly lo: number
}

/** One 64-bit hash split in two takes 0.33 µs, two 32-bit hashes 0.44 µs, measured with texts of 60 characters. */
export async function idHasher(seedA: number, seedB: number): Promise<IdHasher> {
  const { h64 } = await xxhash()
  const seed = (BigInt(seedA >>> 0) << 32n) | BigInt(seedB >>> 0)
  const hashes = new BigUint64Array(1)
  const words = new DataView(hashes.buffer)
  return {
    hash(workspaceId, kind, id) {
      hashes[0] = h64(`${workspaceId}\u0000${kind}${id}`, seed)
    },
    get hi() {
      return words.getUint32(4, true)
    },
    get lo() {
      return words.getUint32(0, true)
    },
  }
}
